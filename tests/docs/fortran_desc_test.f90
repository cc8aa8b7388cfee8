!> The lines about ScaLAPACK's desc(9) in docs/coming_from.md: ScaLAPACK itself sets and reads the elements.
program fortran_desc_test
  use testing
  use mpi_f08
  use tridap
  implicit none
  external :: blacs_get, blacs_gridinit, blacs_gridinfo, blacs_gridexit, descinit, pdelset, pdelget
  integer, external :: numroc
  call begin_tests()
  call rows_are_those_of_scalapack(7, 10, 2, 3)
  call rows_are_those_of_scalapack(3, 2, 4, 4)
  call end_tests()

contains

  subroutine rows_are_those_of_scalapack(m, n_, mb, nb)
    integer, intent(in) :: m, n_, mb, nb
    type(MPI_Comm) :: comm
    real(8), allocatable, target :: local(:, :)
    real(8) :: found
    integer :: context, dims(2), nprow, npcol, row, column, desc(9), info, i, j, lld
    integer(8) :: global(2)
    comm = MPI_COMM_WORLD
    dims = 0
    call MPI_Dims_create(processes, 2, dims)
    nprow = dims(1)
    npcol = dims(2)
    call blacs_get(-1, 0, context)
    call blacs_gridinit(context, 'R', nprow, npcol)
    call blacs_gridinfo(context, nprow, npcol, row, column)
    lld = max(1, numroc(m, mb, row, 0, nprow)) + 2  ! more than needed
    call descinit(desc, m, n_, mb, nb, 0, 0, context, lld, info)
    call holds(info == 0, 'descinit takes the matrix')
    allocate(local(lld, max(1, numroc(n_, nb, column, 0, npcol))), source=-5.0d0)
    do j = 1, n_
      do i = 1, m
        call pdelset(local, i, j, desc, 100.0d0*i + j)
      end do
    end do
    block
      include 'desc_lines.inc'
      do j = 1, size(mine, 2)
        do i = 1, size(mine, 1)
          call in_rows%global_index([int(i, 8), int(j, 8)], global)
          call holds(mine(i, j) == 2*(100.0d0*global(1) + global(2)), 'a row has its elements')
        end do
      end do
      call holds(size(mine, 2) == n_, 'rows are whole')
      call matrix%release()
      call rows%release()
    end block
    do j = 1, n_
      do i = 1, m
        call pdelget('A', ' ', found, local, i, j, desc)
        call holds(found == 2*(100.0d0*i + j), 'ScaLAPACK reads the elements that came back')
      end do
    end do
    call holds(all(local(lld - 1:, :) == -5), 'what is behind the rows stays')
    call blacs_gridexit(context)
  end subroutine
end program
