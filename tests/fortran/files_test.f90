!> Arrays are saved and loaded, into new memory and into the program's, with steps and attributes.
program files_test
  use testing
  use mpi_f08
  use tridap
  implicit none
  character(40) :: path
  call begin_tests()
  write (path, '(a,i0,a)') 'fortran_files_', processes, '.h5'
  call there_and_back()
  call steps()
  call for_paraview()
  call wrong_process()
  call end_tests()

contains

  subroutine there_and_back()
    type(tridap_distribution) :: layout, other
    type(tridap_array) :: u, v, w
    type(tridap_stored) :: stored
    type(tridap_receipt) :: receipt
    real(8), allocatable, target :: field(:, :)
    integer(2), allocatable, target :: marks(:)
    real(8), pointer :: p(:, :)
    real(8), allocatable :: numbers(:)
    integer :: g(2), n(2), i, j
    layout = tridap_distribute([7, 5], 'b,b', MPI_COMM_WORLD)
    other = tridap_distribute([12], 'c', MPI_COMM_WORLD)
    n = int(layout%local_shape())
    allocate(field(n(1), n(2)), marks(other%count()))
    do j = 1, n(2)
      do i = 1, n(1)
        call layout%global_index([i, j], g)
        field(i, j) = g(1) + 100*g(2)
      end do
    end do
    marks = 3_2
    u = tridap_array_of(field, layout)
    v = tridap_array_of(marks, other)
    call tridap_save(path, [character(10) :: 'u', 'marks'], [u, v], receipt=receipt, attributes= &
        [tridap_attribute('title', 'a plate'), tridap_attribute('time', 1.5d0), tridap_attribute('run', 7), &
        tridap_attribute('box', [1.0d0, 2.0d0])])
    call holds(tridap_attribute_text(path, '/', 'title') == 'a plate', 'a text')
    numbers = tridap_attribute_numbers(path, '/', 'time')
    call holds(size(numbers) == 1 .and. all(numbers == 1.5d0), 'a number')
    numbers = tridap_attribute_numbers(path, '/', 'run')
    call holds(all(numbers == 7), 'an integer')
    numbers = tridap_attribute_numbers(path, '/', 'box')
    call holds(size(numbers) == 2 .and. all(numbers == [1, 2]), 'a list')
    call tridap_find(path, 'u', MPI_COMM_WORLD, stored)
    call holds(all(stored%shape == [7, 5]) .and. stored%steps == -1, 'the file has the shape')
    w = tridap_load(path, 'u', MPI_COMM_WORLD)
    call w%pointer(p)
    call holds(all(shape(p) == n), 'as it was saved')
    call holds(all(p == field), 'with its elements')
    call w%release()
    field = 0
    call tridap_load_into(path, 'u', u)
    do j = 1, n(2)
      do i = 1, n(1)
        call layout%global_index([i, j], g)
        call holds(field(i, j) == g(1) + 100*g(2), 'into memory of the program')
      end do
    end do
    call other%release()
    other = tridap_distribute([7, 5], 'c,b', MPI_COMM_WORLD)
    w = tridap_load(path, 'u', MPI_COMM_WORLD%MPI_VAL, layout=other)
    call w%pointer(p)
    do j = 1, size(p, 2)
      do i = 1, size(p, 1)
        call other%global_index([i, j], g)
        call holds(p(i, j) == g(1) + 100*g(2), 'in another distribution')
      end do
    end do
    call w%release()
    call v%release()
    call u%release()
    call other%release()
    call layout%release()
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine

  subroutine steps()
    type(tridap_distribution) :: layout
    type(tridap_array) :: u
    type(tridap_stored) :: stored
    real(4), allocatable, target :: x(:)
    integer :: step
    layout = tridap_distribute([9], 'b', MPI_COMM_WORLD)
    allocate(x(layout%count()))
    u = tridap_array_of(x, layout)
    do step = 0, 2
      x = step
      if (step == 0) call tridap_save(path, 'x', u)
      if (step == 0) call MPI_Barrier(MPI_COMM_WORLD)
      call tridap_save(path, 'y', u, step=step)
    end do
    call tridap_find(path, 'y', MPI_COMM_WORLD, stored)
    call holds(stored%steps == 3, 'three steps')
    call tridap_load_into(path, 'y', u, step=1)
    call holds(all(x == 1), 'the step of the middle')
    call tridap_load_into(path, 'y', u)
    call holds(all(x == 2), 'the last step')
    call u%release()
    call layout%release()
  end subroutine

  subroutine for_paraview()
    type(tridap_distribution) :: layout
    type(tridap_array) :: u
    real(8), allocatable, target :: field(:, :)
    integer :: n(2), stat
    character(400) :: text
    character(44) :: other, beside
    write (other, '(a,i0,a)') 'fortran_xdmf_', processes, '.h5'
    write (beside, '(a,i0,a)') 'fortran_xdmf_', processes, '.xdmf'
    layout = tridap_distribute([7, 5], 'b,b', MPI_COMM_WORLD)
    n = int(layout%local_shape())
    allocate(field(n(1), n(2)), source=1.0d0)
    u = tridap_array_of(field, layout)
    call tridap_save(other, 'u', u, step=0, time=0.5d0, origin=[1.0d0, 2.0d0], spacing=[0.25d0, 0.5d0], x_first=.true.)
    if (rank == 0) then
      call holds(has(beside, '<Time Value="0.5"/>'), 'the time of the step')
      call holds(has(beside, '3DSMesh" Dimensions="1 7 5"'), 'the points of u(7, 5)')
      call holds(has(beside, '__points__'), 'the points are saved')
      call tridap_xdmf(other, ['u'], x_first=.true.)
      call holds(has(beside, '__points__'), 'a file that exists')
      call tridap_xdmf(other, spacing=[0.25d0, 0.5d0], vectors=.false., stat=stat)
      call holds(has(beside, '>1 0.25 0.5<'), 'with other options')
    end if
    call MPI_Barrier(MPI_COMM_WORLD)
    call tridap_save(other, 'u', u, coordinates=[character(3) :: 'px', 'py'], stat=stat, errmsg=text)
    call says(stat, text, "'px'")
    call tridap_save(other, 'u', u, spacing=[1.0d0], stat=stat, errmsg=text)
    call says(stat, text, 'must be 2 numbers')
    call tridap_save(other, 'u', u, spacing=[1.0d0], origin=[1.0d0, 1.0d0], stat=stat, errmsg=text)
    call says(stat, text, 'must be from 1 to 3')
    call u%release()
    call layout%release()
  end subroutine

  !> Whether a line of a file has a part.
  logical function has(file, part)
    character(*), intent(in) :: file, part
    character(2000) :: line
    integer :: unit, status
    has = .false.
    open(newunit=unit, file=file, action='read', status='old')
    do
      read(unit, '(a)', iostat=status) line
      if (status /= 0) exit
      has = has .or. index(line, part) > 0
    end do
    close(unit)
  end function

  subroutine wrong_process()
    type(tridap_distribution) :: layout
    type(tridap_array) :: u, none
    real(4), allocatable, target :: x(:)
    integer :: stat
    character(400) :: text
    layout = tridap_distribute([9], 'b', MPI_COMM_WORLD)
    allocate(x(layout%count()), source=0.0)
    u = tridap_array_of(x, layout)
    call tridap_save(path, 'z', u, chunks=spread(4, 1, merge(2, 1, rank == processes - 1)), stat=stat, errmsg=text)
    call says(stat, text, 'must have 1 extents, one for each dimension')
    if (rank == processes - 1) u = none
    call tridap_save(path, 'z', u, stat=stat, errmsg=text)
    call says(stat, text, 'number 0')
    call tridap_save(path, [character(1) :: 'z', 'y'], [u], stat=stat, errmsg=text)
    call holds(stat /= 0, 'lists of two lengths')
    call tridap_load_into(path, 'y', u, stat=stat, errmsg=text)
    call says(stat, text, 'number 0')
    u = tridap_load(path, 'nothing', MPI_COMM_WORLD, stat=stat, errmsg=text)
    call says(stat, text, 'nothing')
    call layout%release()
  end subroutine
end program
