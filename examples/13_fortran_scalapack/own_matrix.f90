! What the program has without TriDAP: a grid of the BLACS, and a matrix of ScaLAPACK.
module own_matrix
  use mpi_f08
  implicit none

contains

  ! A grid of all processes, in the order of its rows, and memory for this process's part of an n x n matrix.
  subroutine make_matrix(n, nb, a, desc, context)
    integer, intent(in) :: n, nb
    real(8), allocatable, target, intent(out) :: a(:, :)
    integer, intent(out) :: desc(9), context
    integer, external :: numroc
    integer :: processes, nprow, npcol, myrow, mycol, info
    call MPI_Comm_size(MPI_COMM_WORLD, processes)
    nprow = int(sqrt(real(processes)))
    do while (mod(processes, nprow) /= 0)
      nprow = nprow - 1
    end do
    npcol = processes/nprow
    call blacs_get(-1, 0, context)
    call blacs_gridinit(context, 'R', nprow, npcol)
    call blacs_gridinfo(context, nprow, npcol, myrow, mycol)
    allocate(a(max(1, numroc(n, nb, myrow, 0, nprow)), numroc(n, nb, mycol, 0, npcol)))
    call descinit(desc, n, n, nb, nb, 0, 0, context, size(a, 1), info)
  end subroutine

  pure real(8) function element(i, j)
    integer, intent(in) :: i, j
    element = 1d0/(i + j)
    if (i == j) element = element + 2
  end function

end module
