!> Descriptions as texts, arrays that other libraries hand over, and checks. The argument is the folder of captures.
program dap_test
  use testing
  use mpi_f08
  use tridap
  use, intrinsic :: iso_c_binding
  implicit none

  !> The beginning of the structs of tridap/dap.h.
  type, bind(c) :: dap_dimension
    character(c_char) :: dist_type
    integer(c_int8_t) :: flags(7)
    integer(c_int64_t) :: size, proc_grid_size, proc_grid_rank, start, stop
  end type
  type, bind(c) :: dap_array
    integer(c_int32_t) :: major, minor
    type(c_ptr) :: manager_ctx
    type(c_funptr) :: deleter
    integer(c_int64_t) :: flags
    type(c_ptr) :: version
    integer(c_int64_t) :: version_size
    type(c_ptr) :: data
    integer(c_int64_t) :: ndim
    type(c_ptr) :: shape, strides, format
    integer(c_int64_t) :: format_size, device(5), reserved(4)
    type(c_ptr) :: dim_data
  end type

  call begin_tests()
  call dim_data_are_read_again()
  call wrong_dim_data()
  call arrays_are_handed_over()
  call what_is_wrong_is_found()
  call captures()
  call end_tests()

contains

  subroutine dim_data_are_read_again()
    type(tridap_distribution) :: layout, again
    character(8), parameter :: dists(4) = ['b,b     ', 'b,c:2   ', 'c,*     ', '*,b:0,3 ']
    integer :: i, stat
    do i = 1, size(dists)
      layout = tridap_distribute([12, 9], trim(dists(i)), MPI_COMM_WORLD, padding=1, stat=stat)
      if (stat /= 0) call layout%release()
      if (stat /= 0) cycle  ! a text for other numbers of processes
      again = tridap_distribution_of_dim_data(layout%dim_data(), MPI_COMM_WORLD)
      call holds(again%equals(layout), 'the text of dim_data is read again, of '//dists(i))
      call again%release()
      call layout%release()
    end do
    layout = tridap_distribution_of_lists([2*rank + 2, 2*rank + 1], MPI_COMM_WORLD)
    again = tridap_distribution_of_dim_data(layout%dim_data(), MPI_COMM_WORLD%MPI_VAL)
    call holds(again%equals(layout), 'lists, too')
    call holds(index(layout%dim_data(0), '[1,0]') > 0, 'indices in texts count from 0: '//layout%dim_data(0))
    call again%release()
    call layout%release()
  end subroutine

  subroutine wrong_dim_data()
    type(tridap_distribution) :: layout, good
    integer :: stat
    character(600) :: text
    good = tridap_distribute([12], 'b', MPI_COMM_WORLD)
    layout = tridap_distribution_of_dim_data(merge('[', ' ', rank == processes - 1)//good%dim_data(), MPI_COMM_WORLD, &
        stat, text)
    call says(stat, text, 'json.document')
    call layout%release()
    layout = tridap_distribution_of_dim_data('[{"dist_type": "b", "size": 4, "proc_grid_size": 1, '// &
        '"proc_grid_rank": 0, "start": 0, "stop": 5}]', MPI_COMM_WORLD, stat, text)
    call says(stat, text, "dimension 1 (rank 0): 'stop' is 5")
    call layout%release()
    call good%release()
  end subroutine

  subroutine arrays_are_handed_over()
    type(tridap_distribution) :: layout, found
    type(tridap_array) :: u, again
    type(c_ptr) :: dap
    real(8), allocatable, target :: field(:, :)
    real(8), pointer :: p(:, :)
    integer(8) :: errors
    integer :: n(2), stat
    character(:), allocatable :: text
    character(400) :: message
    layout = tridap_distribute([12, 9], 'b,b', MPI_COMM_WORLD, padding=1)
    n = int(layout%local_shape())
    allocate(field(n(1), n(2)), source=1.0d0*rank)
    u = tridap_array_of(field, layout)
    dap = tridap_array_to_dap(u)
    call tridap_check(dap, MPI_COMM_WORLD, errors, text)
    call holds(errors == 0 .and. text == '', 'a right array is right: '//text)
    again = tridap_array_from_dap(dap, MPI_COMM_WORLD)
    call holds(.not. c_associated(dap), 'the address is given away')
    call again%pointer(p)
    if (size(field) > 0) field(1, 1) = 7
    call holds(all(p == field), 'the same memory, with the same dimensions')
    found = again%distribution()
    call holds(found%equals(layout), 'the same distribution')
    call found%release()
    call again%release()
    dap = tridap_array_to_dap(u)
    if (rank == processes - 1) call tridap_dap_release(dap)
    again = tridap_array_from_dap(dap, MPI_COMM_WORLD, stat, message)
    call says(stat, message, 'the address is c_null_ptr')
    call again%release()
    call tridap_dap_release(dap)  ! does nothing
    call u%release()
    call layout%release()
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine

  !> One process hands over what no other one expects.
  subroutine what_is_wrong_is_found()
    type(tridap_distribution) :: layout
    type(tridap_array) :: u
    type(c_ptr) :: dap
    type(dap_array), pointer :: of_c
    type(dap_dimension), pointer :: dimension
    integer(8) :: errors
    integer :: stat
    character(:), allocatable :: text
    character(400) :: message
    layout = tridap_distribute([4*processes], 'b', MPI_COMM_WORLD)
    u = tridap_allocate(layout, tridap_real8)
    dap = tridap_array_to_dap(u)
    call c_f_pointer(dap, of_c)
    call c_f_pointer(of_c%dim_data, dimension)
    call holds(dimension%dist_type == 'b' .and. dimension%stop == 4*rank + 4, 'the structs of tridap/dap.h')
    if (rank == processes - 1) dimension%stop = dimension%stop + 1
    call tridap_check(dap, MPI_COMM_WORLD, errors, text, stat)
    call holds(stat == 0 .and. errors > 0, 'what is wrong is counted, and is no failure')
    call holds(index(text, 'dimension 1') > 0 .and. index(text, '[block.bounds]') > 0, 'the text says what: '//text)
    call tridap_check(dap, MPI_COMM_WORLD%MPI_VAL, errors)
    call holds(errors > 0, 'the text may be left out')
    u = tridap_array_from_dap(dap, MPI_COMM_WORLD, stat, message)
    call says(stat, message, '[block.bounds]')
    call u%release()
    call tridap_check(c_null_ptr, MPI_COMM_WORLD, errors, text, stat, message)
    call says(stat, message, 'the address is c_null_ptr')
    call holds(errors == 0 .and. text == '', 'a check that fails finds nothing')
    call layout%release()
  end subroutine

  subroutine captures()
    type(tridap_distribution) :: layout
    type(tridap_array) :: u
    integer(8) :: errors
    integer :: stat, seed
    character(:), allocatable :: text
    character(400) :: folder, message
    character(20) :: name
    call get_command_argument(1, folder)
    layout = tridap_distribute([12, 9], 'b,c:2', MPI_COMM_WORLD)
    u = tridap_allocate(layout, tridap_real8)
    call system_clock(seed)
    call MPI_Bcast(seed, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
    write (name, '(a,i0)') 'capture_', seed
    call tridap_write_capture(u, name)
    call tridap_check_capture(name, errors, text)
    call holds(errors == 0, 'what was written is right: '//text)
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) call delete(trim(name))
    call tridap_check_capture(trim(folder)//'/rules/block.bounds.negative_start.json', errors, text)
    call holds(errors > 0 .and. index(text, '[block.bounds]') > 0, 'a capture that breaks a rule: '//text)
    call holds(index(text, 'dimension 1') > 0, 'in the words of Fortran: '//text)
    call tridap_check_capture(trim(folder)//'/none.json', errors, text, stat, message)
    call says(stat, message, 'none.json')
    call u%release()
    call layout%release()
  end subroutine

  subroutine delete(name)
    character(*), intent(in) :: name
    integer :: unit
    open (newunit=unit, file=name)
    close (unit, status='delete')
  end subroutine
end program
