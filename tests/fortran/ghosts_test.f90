!> Ghosts of distributions of one and more dimensions, against plain loops.
program ghosts_test
  use testing
  use mpi_f08
  use tridap
  implicit none
  call begin_tests()
  call two_dimensions_are_numbered('b,*')
  call two_dimensions_are_numbered('*,b')
  call two_dimensions_are_numbered('b,b')
  call two_dimensions_are_numbered('c:2,c')
  call components_are_behind()
  call wrong_ids()
  call end_tests()

contains

  !> The number of an element of nx x ny elements, as the page says.
  pure integer function number_of(g, nx)
    integer, intent(in) :: g(2), nx
    number_of = g(1) + (g(2) - 1)*nx
  end function

  !> The numbers of a process's elements, in the order of its memory.
  function numbers(layout, process, nx) result(mine)
    type(tridap_distribution), intent(in) :: layout
    integer, intent(in) :: process, nx
    integer, allocatable :: mine(:)
    integer :: n(2), g(2), i, j
    n = int(layout%local_shape(process))
    mine = [integer ::]
    do j = 1, n(2)
      do i = 1, n(1)
        call layout%global_index([i, j], g, process)
        mine = [mine, number_of(g, nx)]
      end do
    end do
  end function

  subroutine two_dimensions_are_numbered(dist)
    character(*), intent(in) :: dist
    integer, parameter :: nx = 7, ny = 8
    type(tridap_distribution) :: layout
    type(tridap_ghosts) :: ghosts
    real(8), allocatable, target :: x(:)
    integer, allocatable :: mine(:), ids(:), wanted(:)
    integer :: process
    layout = tridap_distribute([nx, ny], dist, MPI_COMM_WORLD)
    mine = numbers(layout, rank, nx)
    ids = [integer ::]
    do process = 0, processes - 1  ! all elements of the others, the last one first
      if (process /= rank) ids = [numbers(layout, process, nx), ids]
    end do
    ids = ids(size(ids):1:-1)
    allocate(x(size(mine) + size(ids)), source=-1.0d0)
    x(:size(mine)) = mine
    ghosts = tridap_ghosts_make(layout, x, ids)
    call ghosts%update()
    call holds(all(x == [mine, ids]), 'each ghost has its element, of '//dist)
    x(:size(mine)) = 0
    x(size(mine) + 1:) = ids
    call ghosts%sum()
    wanted = mine*(processes - 1)
    call holds(all(x(:size(mine)) == wanted), 'each ghost is added to its element, of '//dist)
    call ghosts%release()
    call layout%release()
    call holds(sum(mine) + sum(ids) == nx*ny*(nx*ny + 1)/2, 'all elements are there')
  end subroutine

  !> Three numbers for each element of a grid: the last dimension is not numbered.
  subroutine components_are_behind()
    integer, parameter :: nx = 4, ny = 6
    type(tridap_distribution) :: layout, nodes
    type(tridap_ghosts) :: ghosts
    integer(8), allocatable, target :: x(:, :)
    integer, allocatable :: mine(:), ids(:)
    integer :: component
    nodes = tridap_distribute([nx, ny], 'b,b', MPI_COMM_WORLD)
    layout = tridap_distribute([nx, ny, 3], 'b,b,*', MPI_COMM_WORLD, grid=[int(nodes%grid()), 1])
    mine = numbers(nodes, rank, nx)
    ids = [integer ::]
    if (processes > 1) ids = numbers(nodes, modulo(rank + 1, processes), nx)
    allocate(x(size(mine) + size(ids), 3), source=-1_8)
    do component = 1, 3
      x(:size(mine), component) = 10*mine + component
    end do
    ghosts = tridap_ghosts_make(layout, x, ids)
    call ghosts%update()
    do component = 1, 3
      call holds(all(x(:, component) == 10*[mine, ids] + component), 'a ghost has all components')
    end do
    call ghosts%release()
    call layout%release()
    call nodes%release()
  end subroutine

  !> Messages count from 1, too.
  subroutine wrong_ids()
    type(tridap_distribution) :: layout
    type(tridap_ghosts) :: ghosts
    real(8), target :: x(1000)
    integer :: stat, n, owned(2)
    character(400) :: text
    layout = tridap_distribute([7, 8], 'b,*', MPI_COMM_WORLD)
    owned = int(layout%local_shape())
    n = product(owned)
    ghosts = tridap_ghosts_make(layout, x(:n + 2), [57, 1], stat, text)
    call says(stat, text, 'ghost 1 has the id 57, which no process owns')
    call says(stat, text, 'must be the number of an element, from 1 to 56')
    ghosts = tridap_ghosts_make(layout, x(:n + 1), [0], stat, text)
    call says(stat, text, 'ghost 1 has the id 0, which no process owns')
    ghosts = tridap_ghosts_make(layout, x(:n + 2), [8], stat, text)
    call holds(stat /= 0, 'memory for another number of ghosts is refused')
    call layout%release()
    layout = tridap_distribute([12], 'c', MPI_COMM_WORLD)
    n = int(layout%count())
    ghosts = tridap_ghosts_make(layout, x(:n + 1), [13], stat, text)
    call says(stat, text, 'ghost 1 has the id 13')
    call says(stat, text, 'must be a global index, from 1 to 12')
    call layout%release()
  end subroutine
end program
