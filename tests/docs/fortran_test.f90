!> The lines of Fortran in docs/coming_from.md and README.md, against plain loops. CMake writes them to *_lines.inc.
program fortran_test
  use testing
  use mpi_f08
  use tridap
  implicit none
  call begin_tests()
  call padding_is_that_of_a_loop([.true., .false.])
  call padding_is_that_of_a_loop([.false., .false.])
  call pencils_are_those_of_2decomp(8, 7, 9)
  call pencils_are_those_of_2decomp(6, 4, 2)
  call the_sum_of_ones_is_their_number(9, 11)
  call end_tests()

contains

  !> The layer of points around each process has the rank of the process that a loop finds there.
  subroutine padding_is_that_of_a_loop(periods)
    logical, intent(in) :: periods(2)
    integer, parameter :: nx = 12, ny = 18
    type(MPI_Comm) :: cart
    integer :: dims(2), n(2), here(2), there(2), i, j, expected
    dims = 0
    call MPI_Dims_create(processes, 2, dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., cart)
    call MPI_Cart_coords(cart, rank, 2, here)
    n = [nx, ny]/dims
    block
      include 'cart_lines.inc'
      do j = 0, n(2) + 1
        do i = 0, n(1) + 1
          there = here + merge(-1, merge(1, 0, [i, j] > n), [i, j] == 0)
          expected = -1
          if (all(periods .or. (there >= 0 .and. there < dims))) call MPI_Cart_rank(cart, there, expected)
          call holds(field(i, j) == expected, 'a point of the layer has the value of its owner')
        end do
      end do
      call u%release()
      call layout%release()
    end block
    call MPI_Comm_free(cart)
  end subroutine

  real(8) function value(i, j, k)
    integer, intent(in) :: i, j, k
    value = 1.0d4*i + 1.0d2*j + k
  end function

  !> The first and the last point of a process, as `distribute` of 2DECOMP computes them.
  subroutine points_of(n, among, process, first, last)
    integer, intent(in) :: n, among, process
    integer, intent(out) :: first, last
    integer :: length, i
    first = 1
    do i = 0, process
      length = n/among
      if (i >= among - (n - length*among)) length = length + 1
      last = first + length - 1
      if (i < process) first = last + 1
    end do
  end subroutine

  subroutine bounds_of(n, grid, first, last)
    integer, intent(in) :: n(3), grid(3)
    integer, intent(out) :: first(3), last(3)
    integer :: d, place(3)
    place = [rank/(grid(2)*grid(3)), mod(rank/grid(3), grid(2)), mod(rank, grid(3))]
    do d = 1, 3
      call points_of(n(d), grid(d), place(d), first(d), last(d))
    end do
  end subroutine

  subroutine need_values(field, first, what)
    real(8), intent(in) :: field(:, :, :)
    integer, intent(in) :: first(3)
    character(*), intent(in) :: what
    integer :: i, j, k
    do k = 1, size(field, 3)
      do j = 1, size(field, 2)
        do i = 1, size(field, 1)
          call holds(field(i, j, k) == value(first(1) + i - 1, first(2) + j - 1, first(3) + k - 1), what)
        end do
      end do
    end do
  end subroutine

  subroutine pencils_are_those_of_2decomp(nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    type(MPI_Comm) :: comm
    real(8), allocatable, target :: in_x(:, :, :), in_y(:, :, :)
    real(8), pointer :: in_z(:, :, :)
    integer :: dims(2), p_row, p_col, first(3), last(3), i, j, k
    comm = MPI_COMM_WORLD
    dims = 0
    call MPI_Dims_create(processes, 2, dims)
    p_row = dims(1)
    p_col = dims(2)
    call bounds_of([nx, ny, nz], [p_row, 1, p_col], first, last)
    allocate(in_y(first(1):last(1), first(2):last(2), first(3):last(3)), source=0.0d0)
    call bounds_of([nx, ny, nz], [1, p_row, p_col], first, last)
    allocate(in_x(first(1):last(1), first(2):last(2), first(3):last(3)))
    do k = first(3), last(3)
      do j = first(2), last(2)
        do i = first(1), last(1)
          in_x(i, j, k) = value(i, j, k)
        end do
      end do
    end do
    block
      include 'pencil_lines.inc'
      call need_values(in_y, lbound(in_y), 'a y-pencil has its elements')
      call uz%pointer(in_z)
      call bounds_of([nx, ny, nz], [p_row, p_col, 1], first, last)
      call holds(all(shape(in_z) == last - first + 1), 'a z-pencil has the extents of 2DECOMP')
      call need_values(in_z, first, 'a z-pencil has its elements')
      call ux%release()
      call uy%release()
      call uz%release()
      call x_to_y%release()
      call x%release()
      call y%release()
      call z%release()
    end block
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine

  subroutine the_sum_of_ones_is_their_number(nx, ny)
    integer, intent(in) :: nx, ny
    type(MPI_Comm) :: comm
    real(8) :: total
    comm = MPI_COMM_WORLD
    block
      include 'readme_lines.inc'
      call holds(total == nx*ny, 'the sum of ones is their number')
      call u%release()
      call layout%release()
    end block
  end subroutine

  include 'blocks_lines.inc'
end program
