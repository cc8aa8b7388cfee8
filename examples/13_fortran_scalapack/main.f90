! ScaLAPACK's matrix of a Fortran program: it is solved in its own memory, from a right-hand side that is distributed in
! another way, and then moved to rows, so that the program can check the solution by plain loops.
!
!   mpiexec -n 4 13_fortran_scalapack
!
! Prints both distributions, what was copied, and the residual. Exits non-zero if the residual is not small.
program scalapack_matrix
  use mpi_f08
  use own_matrix
  use tridap
  implicit none
  call MPI_Init()
  call solve()
  call MPI_Finalize()

contains

  subroutine solve()
    integer, parameter :: n = 96, nb = 16
    type(tridap_distribution) :: blocks, lines, by_rows
    type(tridap_array) :: matrix, rows, b, x, whole
    type(tridap_receipt) :: receipt
    real(8), allocatable, target :: a(:, :), right(:)
    real(8), pointer :: row(:, :), answer(:)
    integer :: desc(9), context, rank, i, j, k(1), g(2), extents(2)
    real(8) :: residual, largest

    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call make_matrix(n, nb, a, desc, context)
    matrix = tridap_array_of_desc(desc, a, MPI_COMM_WORLD)  ! the memory of `a`
    blocks = matrix%distribution()
    extents = int(blocks%local_shape())
    do j = 1, extents(2)
      do i = 1, extents(1)
        call blocks%global_index([i, j], g)
        a(i, j) = element(g(1), g(2))
      end do
    end do

    ! The right-hand side is in blocks of rows. `copy`: it may be moved to ScaLAPACK's blocks, and the answer back.
    lines = tridap_distribute([n], 'b', MPI_COMM_WORLD)
    allocate(right(lines%count()))
    do i = 1, size(right)
      call lines%global_index([i], k)
      right(i) = k(1)
    end do
    b = tridap_array_of(right, lines)
    x = tridap_dense_solve(matrix, b, copy='if_needed', receipt=receipt)
    if (rank == 0) print '(2a)', 'matrix    ', blocks%describe(), 'b and x   ', lines%describe()
    if (rank == 0) print '(a,i0,a)', 'copied    ', receipt%bytes_copied, ' bytes on process 0'

    ! The same matrix by rows: each process has the whole ones of its part of x.
    by_rows = tridap_distribute([n, n], 'b,*', MPI_COMM_WORLD)
    rows = tridap_redistribute(matrix, by_rows)
    whole = tridap_allgather(x)
    call rows%pointer(row)
    call whole%pointer(answer)
    residual = 0
    do i = 1, size(row, 1)
      residual = max(residual, abs(dot_product(row(i, :), answer) - right(i)))
    end do
    call MPI_Allreduce(residual, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    if (rank == 0) print '(a,es8.1)', 'residual  ', largest
    if (largest > 1d-8) call MPI_Abort(MPI_COMM_WORLD, 1)
    ! `a` and `right` end with this procedure, so the arrays over their memory end before.
    call matrix%release()
    call b%release()
    call blacs_gridexit(context)  ! the other handles are released when MPI ends
  end subroutine
end program
