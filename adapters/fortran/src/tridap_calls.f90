!> What the procedures of module tridap do around a call of C: texts, lists, failures. Programs do not use this module.
module tridap_calls
  use tridap_c
  implicit none
  public

  !> The integer of a communicator.
  interface number_of
    module procedure number_of_comm, number_of_int32, number_of_int64
  end interface

contains

  pure integer(c_int) function number_of_comm(comm) result(number)
    type(MPI_Comm), intent(in) :: comm
    number = comm%MPI_VAL
  end function

  pure integer(c_int) function number_of_int32(comm) result(number)
    integer(int32), intent(in) :: comm
    number = comm
  end function

  pure integer(c_int) function number_of_int64(comm) result(number)
    integer(int64), intent(in) :: comm
    number = int(comm, c_int)
  end function

  !> A list for C. The list must live as long.
  type(list) function listed(of)
    integer(int64), allocatable, target, intent(in) :: of(:)
    if (.not. allocated(of)) return
    listed%count = size(of, kind=c_int64_t)
    if (size(of) > 0) listed%data = c_loc(of)
  end function

  !> A text for C.
  pure function c_text_of(text) result(ended)
    character(*), intent(in) :: text
    character(len_trim(text) + 1, c_char) :: ended
    ended = trim(text)//c_null_char
  end function

  !> A text of C.
  function text_of_c(from) result(text)
    type(c_ptr), intent(in) :: from
    character(:), allocatable :: text
    character(c_char), pointer :: characters(:)
    integer :: i
    call c_f_pointer(from, characters, [c_strlen(from)])
    allocate(character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function

  !> Ends a procedure. Without `stat` a failure ends the job.
  subroutine end_call(status, stat, errmsg)
    use, intrinsic :: iso_fortran_env, only: output_unit, error_unit
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (status /= 0 .and. present(errmsg)) errmsg = text_of_c(c_message())
    if (present(stat)) then
      stat = int(status)
    else if (status /= 0) then
      flush(output_unit)  ! what the program has written is not lost
      flush(error_unit)
      call c_stop()
    end if
  end subroutine

  !> A local failure.
  integer(c_int) function refused(value, must, remedy) result(status)
    character(*), intent(in) :: value, must, remedy
    status = c_refuse(c_text_of(value), c_text_of(must), c_text_of(remedy), c_no_handle, c_null_ptr, 0_c_int64_t)
  end function

  !> Makes `status` that of a failure if a list has another length than it must have.
  subroutine need_length(name, length, needed, status)
    character(*), intent(in) :: name
    integer, intent(in) :: length, needed
    integer(c_int), intent(inout) :: status
    if (status == 0 .and. length /= needed) status = refused(name//' has '//text_of_number(int(length, int64))// &
        ' elements', &
        'must have '//text_of_number(int(needed, int64))//', one for each dimension', 'pass an array of this length')
  end subroutine

  !> Makes `status` that of a failure if an index is outside of 1 to extents.
  subroutine need_inside(name, index, extents, status)
    character(*), intent(in) :: name
    integer(int64), intent(in) :: index(:), extents(:)
    integer(c_int), intent(inout) :: status
    integer :: i
    if (status /= 0) return
    do i = 1, size(index)
      if (index(i) >= 1 .and. index(i) <= extents(i)) cycle
      status = refused('the '//name//' index along dimension '//text_of_number(int(i, int64))//' is '// &
          text_of_number(index(i)), 'must be from 1 to '//text_of_number(extents(i)), 'indices count from 1')
      return
    end do
  end subroutine

  pure function text_of_number(number) result(text)
    integer(int64), intent(in) :: number
    character(:), allocatable :: text
    character(20) :: digits
    write (digits, '(i0)') number
    text = trim(digits)
  end function

  !> The process of an optional argument.
  pure integer(c_int64_t) function process_of(process)
    integer, intent(in), optional :: process
    process_of = c_here
    if (present(process)) process_of = int(process, c_int64_t)
  end function

  pure integer(c_int) function flag(of)
    logical, intent(in), optional :: of
    flag = 0
    if (present(of)) flag = merge(1_c_int, 0_c_int, of)
  end function

  !> A text that a function of C writes.
  integer(c_int) function read_text(which, number, process, text) result(status)
    integer(c_int), intent(in) :: which
    integer(int64), intent(in) :: number, process
    character(:), allocatable, intent(out) :: text
    character(:), allocatable :: ended
    integer(c_size_t) :: length
    length = 0
    text = ''
    ended = ' '
    status = c_text(which, number, process, ended, 0_c_size_t, length)
    if (status /= 0) return
    deallocate(ended)
    allocate(character(length + 1) :: ended)
    status = c_text(which, number, process, ended, length + 1, length)
    if (status == 0) text = ended(1:length)
  end function

  !> Keeps an optional text for C. `kept` must live as long as the address.
  subroutine keep_text(text, kept, address)
    character(*), intent(in), optional :: text
    character(c_char), allocatable, target, intent(out) :: kept(:)
    type(c_ptr), intent(out) :: address
    integer :: i
    address = c_null_ptr
    if (.not. present(text)) return
    allocate(kept(len_trim(text) + 1))
    do i = 1, len_trim(text)
      kept(i) = text(i:i)
    end do
    kept(size(kept)) = c_null_char
    address = c_loc(kept)
  end subroutine

  !> The number of a copy policy; that of no policy is refused by C, on all processes.
  pure integer(c_int) function number_of_copy(copy) result(number)
    character(*), intent(in), optional :: copy
    number = 0
    if (.not. present(copy)) return
    select case (copy)
    case ('never')
      number = 0
    case ('if_needed')
      number = 1
    case ('always')
      number = 2
    case default
      number = -1
    end select
  end function

  !> The extents of the whole array; none if it is not there.
  subroutine read_shape(array, extents)
    integer(int64), intent(in) :: array
    integer(int64), allocatable, intent(out) :: extents(:)
    integer(int64) :: layout
    integer(c_int) :: ndim, status
    ndim = 0
    status = c_distribution_of(c_handle(array), layout)
    if (status == 0) status = c_ndim(c_handle(layout), ndim)
    allocate(extents(ndim), source=0_int64)
    if (ndim > 0) status = c_list(c_shape, c_handle(layout), c_here, extents)
    status = c_release(layout)
  end subroutine

  !> The array for a collective call whose list of results is as long as needed; else one that stands for the failure,
  !> with failed=.true., and is released after the call.
  type(c_handle) function with_room(array, name, length, needed, failed) result(given)
    integer(int64), intent(in) :: array, needed
    character(*), intent(in) :: name
    integer, intent(in) :: length
    logical, intent(out) :: failed
    integer(c_int) :: status
    given = c_handle(array)
    failed = length < needed
    if (.not. failed) return
    status = c_refuse(c_text_of(name//' has '//text_of_number(int(length, int64))//' elements'), &
        c_text_of('must have at least '//text_of_number(needed)), c_text_of('pass a longer array'), c_array_handle, &
        c_null_ptr, array, given%number)
  end function

  !> The same for a collective call whose result is a real of a kind, which must be that of the array's elements.
  type(c_handle) function of_kind(array, name, kind, failed) result(given)
    integer(int64), intent(in) :: array
    character(*), intent(in) :: name
    integer, intent(in) :: kind
    logical, intent(out) :: failed
    integer(c_int) :: of_array, status
    given = c_handle(array)
    of_array = c_real_kind(given)
    failed = of_array /= 0 .and. of_array /= kind
    if (.not. failed) return
    status = c_refuse(c_text_of(name//' is real('//text_of_number(int(kind, int64))//')'), &
        c_text_of('must be real('//text_of_number(int(of_array, int64))//'), as the array'), &
        c_text_of('declare it of this kind'), c_array_handle, c_null_ptr, array, given%number)
  end function

  !> The handle for a call with the entries of a matrix; if there are not as many columns as values, one that stands for the
  !> failure, with failed=.true., which is released after the call.
  type(c_handle) function of_entries(of, type, columns, values, failed) result(given)
    type(c_handle), intent(in) :: of
    integer(c_int), intent(in) :: type
    integer(int64), intent(in) :: columns, values
    logical, intent(out) :: failed
    integer(c_int) :: status
    given = of
    failed = columns /= values
    if (.not. failed) return
    status = c_refuse(c_text_of('columns has '//text_of_number(columns)//' elements'), &
        c_text_of('must have '//text_of_number(values)//', as values'), c_text_of('pass the column of each value'), type, &
        c_null_ptr, of%number, given%number)
  end function

  !> What all lists have in common.
  type(c_csr) function csr_of(columns, starts, values, zero_based, row_major) result(csr)
    integer(int64), intent(in) :: columns, starts
    real(c_double), intent(in), contiguous, target :: values(:)
    logical, intent(in), optional :: zero_based, row_major
    csr%entry_count = columns
    csr%row_count = starts - 1
    csr%values = c_loc(values)
    csr%index_base = 1 - flag(zero_based)
    csr%order = 1_c_int - flag(row_major)
  end function

end module
