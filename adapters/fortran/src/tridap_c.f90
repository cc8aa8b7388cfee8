!> The functions of tridap/tridap.h and of tridap_fortran.c, for module tridap. Programs do not use this module.
module tridap_c
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use mpi_f08, only: MPI_Comm
  implicit none
  public

  !> The number of a handle.
  type, bind(c) :: c_handle
    integer(c_int64_t) :: number = 0
  end type

  !> A list of the program. count -1: it is not there.
  type, bind(c) :: list
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: count = -1
  end type

  type, bind(c) :: c_move_options
    integer(c_int) :: order = 1  ! column-major, as memory of Fortran
    integer(c_int32_t) :: convert = 0, fill_padding = 0, partial = 0
    type(c_ptr) :: axes = c_null_ptr
    integer(c_int) :: type = 0
  end type

  type, bind(c) :: c_receipt
    integer(c_int32_t) :: shared = 0, same_address = 0
    integer(c_int64_t) :: bytes_copied = 0, bytes_synchronized = 0
    real(c_double) :: seconds = 0
    character(c_char) :: text(960) = c_null_char
  end type

  type, bind(c) :: c_scaling
    real(c_double) :: alpha(2) = [1, 0], beta(2) = 0
  end type

  integer(c_int64_t), parameter :: c_here = -1
  integer(c_int), parameter :: c_shape = 0, c_grid = 1, c_coordinates = 2, c_local_shape = 3
  integer(c_int), parameter :: c_dist_text = 0, c_description = 1, c_dim_data = 2, c_explanation = 3
  integer(c_int), parameter :: c_sum = 0, c_max = 1, c_min = 2, c_dot = 3
  integer(c_int), parameter :: c_no_handle = 0, c_distribution_handle = 1, c_array_handle = 2, c_plan_handle = 3

  ! ---- Failures and handles -------------------------------------------------------------------------------------------
  interface
    subroutine c_stop() bind(c, name='tridap_fortran_stop')
    end subroutine
    type(c_ptr) function c_message() bind(c, name='tridap_message_in_fortran')
      import
    end function
    type(c_ptr) function c_version() bind(c, name='tridap_version')
      import
    end function
    integer(c_int) function c_refuse(value, must, remedy, type, comm, of, number) bind(c, name='tridap_refuse')
      import
      character(c_char), intent(in) :: value(*), must(*), remedy(*)
      integer(c_int), value :: type
      type(c_ptr), value :: comm
      integer(c_int64_t), value :: of
      integer(c_int64_t), intent(out), optional :: number
    end function
    integer(c_int) function c_release(number) bind(c, name='tridap_fortran_release')
      import
      integer(c_int64_t), value :: number
    end function
    integer(c_int64_t) function c_held() bind(c, name='tridap_held')
      import
    end function
    integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import
      type(c_ptr), value :: text
    end function
  end interface

  ! ---- Distributions --------------------------------------------------------------------------------------------------
  interface
    integer(c_int) function c_distribute(shape, dist, comm, grid, padding, paddings, periodic, inner_only, layout) &
        bind(c, name='tridap_fortran_distribute')
      import
      type(list), value :: shape, grid, paddings, periodic
      character(c_char), intent(in) :: dist(*)
      integer(c_int), value :: comm, inner_only
      integer(c_int64_t), value :: padding
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_of_lists(indices, comm, layout) bind(c, name='tridap_fortran_of_lists')
      import
      type(list), value :: indices
      integer(c_int), value :: comm
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_of_desc(desc, nprow, npcol, by_columns, comm, layout) bind(c, name='tridap_fortran_of_desc')
      import
      integer(c_int), intent(in) :: desc(9)
      integer(c_int), value :: nprow, npcol, by_columns, comm
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_of_cart(shape, width, cart, layout) bind(c, name='tridap_fortran_of_cart')
      import
      type(list), value :: shape
      integer(c_int64_t), value :: width
      integer(c_int), value :: cart
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_of_hpf(shape, distribute, grid, comm, layout) bind(c, name='tridap_fortran_of_hpf')
      import
      type(list), value :: shape, grid
      character(c_char), intent(in) :: distribute(*)
      integer(c_int), value :: comm
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_of_chapel(shape, dist, fluff, comm, layout) bind(c, name='tridap_fortran_of_chapel')
      import
      type(list), value :: shape
      character(c_char), intent(in) :: dist(*)
      integer(c_int64_t), value :: fluff
      integer(c_int), value :: comm
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_interior_of(of, interior) bind(c, name='tridap_interior_of')
      import
      type(c_handle), value :: of
      integer(c_int64_t), intent(out) :: interior
    end function
    integer(c_int) function c_list(which, layout, process, answer) bind(c, name='tridap_fortran_list')
      import
      integer(c_int), value :: which
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process
      integer(c_int64_t), intent(out) :: answer(*)
    end function
    integer(c_int) function c_text(which, number, process, text, size, length) bind(c, name='tridap_fortran_text')
      import
      integer(c_int), value :: which
      integer(c_int64_t), value :: number, process
      character(c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
      integer(c_size_t), intent(inout) :: length
    end function
    integer(c_int) function c_ndim(layout, ndim) bind(c, name='tridap_ndim')
      import
      type(c_handle), value :: layout
      integer(c_int), intent(out) :: ndim
    end function
    integer(c_int) function c_processes(layout, processes) bind(c, name='tridap_processes')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), intent(out) :: processes
    end function
    integer(c_int) function c_count(layout, process, part, count) bind(c, name='tridap_count')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process
      integer(c_int), value :: part
      integer(c_int64_t), intent(out) :: count
    end function
    integer(c_int) function c_bounds(layout, process, part, begin, end) bind(c, name='tridap_bounds')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process
      integer(c_int), value :: part
      integer(c_int64_t), intent(out) :: begin(*), end(*)
    end function
    integer(c_int) function c_owner(layout, global, process) bind(c, name='tridap_owner')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), intent(in) :: global(*)
      integer(c_int64_t), intent(out) :: process
    end function
    integer(c_int) function c_local_index(layout, process, global, part, local, held) bind(c, name='tridap_local_index')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process
      integer(c_int64_t), intent(in) :: global(*)
      integer(c_int), value :: part
      integer(c_int64_t), intent(out) :: local(*)
      integer(c_int), intent(out) :: held
    end function
    integer(c_int) function c_global_index(layout, process, local, global) bind(c, name='tridap_global_index')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process
      integer(c_int64_t), intent(in) :: local(*)
      integer(c_int64_t), intent(out) :: global(*)
    end function
    integer(c_int) function c_owner_from_1(layout, count, global, process) bind(c, name='tridap_owner_from_1')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: global(*)
      integer(c_int64_t), intent(out) :: process
    end function
    integer(c_int) function c_local_index_from_1(layout, process, count, global, part, local, held) &
        bind(c, name='tridap_local_index_from_1')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process, count
      integer(c_int64_t), intent(in) :: global(*)
      integer(c_int), value :: part
      integer(c_int64_t), intent(out) :: local(*)
      integer(c_int), intent(out) :: held
    end function
    integer(c_int) function c_global_index_from_1(layout, process, count, local, global) &
        bind(c, name='tridap_global_index_from_1')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process, count
      integer(c_int64_t), intent(in) :: local(*)
      integer(c_int64_t), intent(out) :: global(*)
    end function
    integer(c_int) function c_equal(a, b, equal) bind(c, name='tridap_equal')
      import
      type(c_handle), value :: a, b
      integer(c_int), intent(out) :: equal
    end function
  end interface

  ! ---- Arrays ---------------------------------------------------------------------------------------------------------
  interface
    integer(c_int) function c_array_of(layout, memory, read_only, device, stream, array) &
        bind(c, name='tridap_fortran_array_of')
      import
      type(c_handle), value :: layout
      type(*), dimension(..), intent(in), target :: memory
      integer(c_int), value :: read_only
      character(c_char), intent(in), optional :: device(*)
      type(c_ptr), value :: stream
      integer(c_int64_t), intent(out) :: array
    end function
    integer(c_int) function c_allocate(layout, type, order, array) bind(c, name='tridap_allocate')
      import
      type(c_handle), value :: layout
      integer(c_int), value :: type, order
      integer(c_int64_t), intent(out) :: array
    end function
    integer(c_int) function c_distribution_of(array, layout) bind(c, name='tridap_distribution_of')
      import
      type(c_handle), value :: array
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_array_ndim(array, ndim) bind(c, name='tridap_fortran_ndim')
      import
      type(c_handle), value :: array
      integer(c_int), intent(out) :: ndim
    end function
    integer(c_int) function c_interior(array, begin, end) bind(c, name='tridap_interior')
      import
      type(c_handle), value :: array
      integer(c_int64_t), intent(out) :: begin(*), end(*)
    end function
    type(c_ptr) function c_address(array, status) bind(c, name='tridap_fortran_address')
      import
      type(c_handle), value :: array
      integer(c_int), intent(out) :: status
    end function
  end interface

  ! ---- Moves ----------------------------------------------------------------------------------------------------------
  interface
    integer(c_int) function c_redistribute(source, to, options, target) bind(c, name='tridap_redistribute')
      import
      type(c_handle), value :: source, to
      type(c_move_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: target
    end function
    integer(c_int) function c_redistribute_into(source, target, options, scaling) bind(c, name='tridap_redistribute_into')
      import
      type(c_handle), value :: source, target
      type(c_move_options), intent(in) :: options
      type(c_scaling), intent(in) :: scaling
    end function
    integer(c_int) function c_plan_make(from, to, type, options, plan) bind(c, name='tridap_plan_make')
      import
      type(c_handle), value :: from, to
      integer(c_int), value :: type
      type(c_move_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: plan
    end function
    integer(c_int) function c_plan_move(plan, source, target, scaling) bind(c, name='tridap_plan_move')
      import
      type(c_handle), value :: plan, source, target
      type(c_scaling), intent(in) :: scaling
    end function
    integer(c_int) function c_plan_new(plan, source, target) bind(c, name='tridap_plan_new')
      import
      type(c_handle), value :: plan, source
      integer(c_int64_t), intent(out) :: target
    end function
    integer(c_int) function c_plan_move_all(plan, count, sources, targets, scaling) bind(c, name='tridap_plan_move_all')
      import
      type(c_handle), value :: plan
      integer(c_int), value :: count
      type(c_handle), intent(in) :: sources(*), targets(*)
      type(c_scaling), intent(in) :: scaling
    end function
    integer(c_int) function c_plan_start(plan, source, target, scaling) bind(c, name='tridap_plan_start')
      import
      type(c_handle), value :: plan, source, target
      type(c_scaling), intent(in) :: scaling
    end function
    integer(c_int) function c_plan_test(plan, done) bind(c, name='tridap_plan_test')
      import
      type(c_handle), value :: plan
      integer(c_int), intent(out) :: done
    end function
    integer(c_int) function c_plan_wait(plan) bind(c, name='tridap_plan_wait')
      import
      type(c_handle), value :: plan
    end function
    integer(c_int) function c_plan_reversed(plan, back) bind(c, name='tridap_plan_reversed')
      import
      type(c_handle), value :: plan
      integer(c_int64_t), intent(out) :: back
    end function
    integer(c_int) function c_plan_bytes(plan, sent, received, kept) bind(c, name='tridap_plan_bytes')
      import
      type(c_handle), value :: plan
      integer(c_int64_t), intent(out) :: sent, received, kept
    end function
  end interface

  ! ---- Padding and ghosts ---------------------------------------------------------------------------------------------
  interface
    integer(c_int) function c_update_paddings(count, arrays) bind(c, name='tridap_update_paddings')
      import
      integer(c_int), value :: count
      type(c_handle), intent(in) :: arrays(*)
    end function
    integer(c_int) function c_sum_paddings(count, arrays) bind(c, name='tridap_sum_paddings')
      import
      integer(c_int), value :: count
      type(c_handle), intent(in) :: arrays(*)
    end function
    integer(c_int) function c_update_padding(array) bind(c, name='tridap_update_padding')
      import
      type(c_handle), value :: array
    end function
    integer(c_int) function c_sum_padding(array) bind(c, name='tridap_sum_padding')
      import
      type(c_handle), value :: array
    end function
    integer(c_int) function c_padding_make(count, arrays, sum, padding) bind(c, name='tridap_padding_make')
      import
      integer(c_int), value :: count, sum
      type(c_handle), intent(in) :: arrays(*)
      integer(c_int64_t), intent(out) :: padding
    end function
    integer(c_int) function c_padding_start(padding) bind(c, name='tridap_padding_start')
      import
      type(c_handle), value :: padding
    end function
    integer(c_int) function c_padding_wait(padding) bind(c, name='tridap_padding_wait')
      import
      type(c_handle), value :: padding
    end function
    integer(c_int) function c_ghosts(layout, memory, ids, ghosts) bind(c, name='tridap_fortran_ghosts')
      import
      type(c_handle), value :: layout
      type(*), dimension(..), intent(inout), target :: memory
      type(list), value :: ids
      integer(c_int64_t), intent(out) :: ghosts
    end function
    integer(c_int) function c_ghosts_start(ghosts, sum) bind(c, name='tridap_ghosts_start')
      import
      type(c_handle), value :: ghosts
      integer(c_int), value :: sum
    end function
    integer(c_int) function c_ghosts_wait(ghosts) bind(c, name='tridap_ghosts_wait')
      import
      type(c_handle), value :: ghosts
    end function
    integer(c_int) function c_update_ghosts(ghosts) bind(c, name='tridap_update_ghosts')
      import
      type(c_handle), value :: ghosts
    end function
    integer(c_int) function c_sum_ghosts(ghosts) bind(c, name='tridap_sum_ghosts')
      import
      type(c_handle), value :: ghosts
    end function
  end interface

  ! ---- Gather, scatter, reductions, watching --------------------------------------------------------------------------
  interface
    integer(c_int) function c_gather(array, root, whole) bind(c, name='tridap_gather')
      import
      type(c_handle), value :: array
      integer(c_int), value :: root
      integer(c_int64_t), intent(out) :: whole
    end function
    integer(c_int) function c_allgather(array, whole) bind(c, name='tridap_allgather')
      import
      type(c_handle), value :: array
      integer(c_int64_t), intent(out) :: whole
    end function
    integer(c_int) function c_gather_into(array, root, whole) bind(c, name='tridap_fortran_gather_into')
      import
      type(c_handle), value :: array
      integer(c_int), value :: root
      type(*), dimension(..), intent(inout), target :: whole
    end function
    integer(c_int) function c_scatter(whole, root, array) bind(c, name='tridap_fortran_scatter')
      import
      type(*), dimension(..), intent(in), target :: whole
      integer(c_int), value :: root
      type(c_handle), value :: array
    end function
    integer(c_int) function c_reduce(which, a, b, result) bind(c, name='tridap_fortran_reduce')
      import
      integer(c_int), value :: which
      type(c_handle), value :: a, b
      type(*), dimension(..), intent(inout), target :: result
    end function
    integer(c_int) function c_norm(array, norm) bind(c, name='tridap_norm')
      import
      type(c_handle), value :: array
      real(c_double), intent(out) :: norm
    end function
    integer(c_int) function c_write_capture(array, path) bind(c, name='tridap_write_capture')
      import
      type(c_handle), value :: array
      character(c_char), intent(in) :: path(*)
    end function
    integer(c_int) function c_watch(seconds, comm) bind(c, name='tridap_fortran_watch')
      import
      real(c_double), value :: seconds
      integer(c_int), value :: comm
    end function
  end interface

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
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (status /= 0 .and. present(errmsg)) errmsg = text_of_c(c_message())
    if (present(stat)) then
      stat = int(status)
    else if (status /= 0) then
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
    if (status == 0 .and. length /= needed) status = refused(name//' has '//text_of_number(int(length, int64))//' elements', &
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

end module
