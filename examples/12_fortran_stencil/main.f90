! Heat in a plate, in Fortran. The field is the program's own memory, in blocks over a grid of processes, with a halo of
! one element around each block. The program makes explicit steps by a stencil, and then one long implicit step by
! conjugate gradients with multigrid (Trilinos' CG and MueLu), in the same memory. At the end it saves the fields before
! and after this step to an HDF5 file, and loads one of them on half of the processes.
!
!   mpiexec -n 4 12_fortran_stencil [FILE]
!
! FILE is kept: ./dev example python/12_fortran_stencil --file FILE draws it. Prints the distribution, the heat after the
! explicit steps and after the implicit one, and how the file was loaded. Exits non-zero if the system was not solved, if
! heat was lost, or if an element in the file is another one.
program stencil
  use mpi_f08
  use tridap
  use stencil_file, only: save_and_load
  implicit none
  call MPI_Init()
  call diffuse()
  call MPI_Finalize()

contains

  ! In a subroutine: what a main program allocates is never freed.
  subroutine diffuse()
    integer, parameter :: nx = 120, ny = 100, steps = 50
    real(8), parameter :: explicit = 0.2d0, implicit = 50  ! diffusivity times time step
    type(tridap_distribution) :: layout
    type(tridap_array) :: u, b
    type(tridap_matrix) :: a
    type(tridap_solution) :: solution
    real(8), allocatable, target :: field(:, :), before(:, :)  ! `target`: the handles use this memory
    real(8), allocatable :: values(:)
    integer, allocatable :: columns(:), row_starts(:)
    integer :: n(2), lo(2), hi(2), g(2), rank, step, i, j
    real(8) :: heat, hottest

    layout = tridap_distribute([nx, ny], 'b,b', MPI_COMM_WORLD, padding=1, inner_only=.true.)
    n = int(layout%local_shape())
    allocate(field(n(1), n(2)), before(n(1), n(2)))
    u = tridap_array_of(field, layout)
    b = tridap_array_of(before, layout)
    call u%interior(lo, hi)  ! the own elements: without the halo
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0) print '(2a)', 'plate     ', layout%describe()

    field = 0
    do j = lo(2), hi(2)
      do i = lo(1), hi(1)
        call layout%global_index([i, j], g)
        if (all(abs(g - [40, 50]) < 10)) field(i, j) = 1
      end do
    end do
    do step = 1, steps
      call tridap_update_padding(u)
      before = field  ! no reallocation: the shapes are equal
      do j = lo(2), hi(2)
        do i = lo(1), hi(1)
          field(i, j) = before(i, j) + explicit*flow(before, i, j)
        end do
      end do
    end do
    call tridap_sum(u, heat)
    call tridap_max(u, hottest)
    if (rank == 0) print '(a,i0,a,f8.4,a,f6.4)', 'explicit  ', steps, ' steps, heat ', heat, ', at most ', hottest

    call rows(layout, lo, hi, nx, ny, implicit, values, columns, row_starts)
    a = tridap_matrix_of_csr(layout, values, columns, row_starts)
    before = field
    call tridap_solve(a, b, u, preconditioner='muelu', tol=1d-10, copy='if_needed', solution=solution)
    call tridap_sum(u, heat)
    call tridap_max(u, hottest)
    if (rank == 0) print '(a,f8.4,a,f6.4)', 'implicit  1 step, heat ', heat, ', at most ', hottest
    if (.not. solution%converged .or. abs(heat - 361) > 1d-6) call MPI_Abort(MPI_COMM_WORLD, 1)
    call save_and_load(b, u)
    call a%release()
    call b%release()
    call u%release()
    call layout%release()
  end subroutine

  ! What flows into an element from its neighbours. There are none beyond the edges of the plate.
  pure real(8) function flow(f, i, j)
    real(8), intent(in) :: f(:, :)
    integer, intent(in) :: i, j
    flow = 0
    if (i > 1) flow = flow + f(i - 1, j) - f(i, j)
    if (i < size(f, 1)) flow = flow + f(i + 1, j) - f(i, j)
    if (j > 1) flow = flow + f(i, j - 1) - f(i, j)
    if (j < size(f, 2)) flow = flow + f(i, j + 1) - f(i, j)
  end function

  ! The rows of this process of (I + k L), in compressed rows. Elements have the numbers i + (j-1)*nx.
  subroutine rows(layout, lo, hi, nx, ny, k, values, columns, row_starts)
    type(tridap_distribution), intent(in) :: layout
    integer, intent(in) :: lo(2), hi(2), nx, ny
    real(8), intent(in) :: k
    real(8), allocatable, intent(out) :: values(:)
    integer, allocatable, intent(out) :: columns(:), row_starts(:)
    integer, parameter :: side(2, 4) = reshape([0, -1, -1, 0, 1, 0, 0, 1], [2, 4])
    integer :: g(2), next(2), i, j, s, row, entry, own
    allocate(values(5*product(hi - lo + 1)), columns(5*product(hi - lo + 1)), row_starts(product(hi - lo + 1) + 1))
    row = 0
    entry = 0
    do j = lo(2), hi(2)
      do i = lo(1), hi(1)
        call layout%global_index([i, j], g)
        row = row + 1
        entry = entry + 1
        own = entry
        row_starts(row) = own
        columns(own) = g(1) + (g(2) - 1)*nx
        values(own) = 1
        do s = 1, 4
          next = g + side(:, s)
          if (any(next < 1) .or. any(next > [nx, ny])) cycle
          entry = entry + 1
          columns(entry) = next(1) + (next(2) - 1)*nx
          values(entry) = -k
          values(own) = values(own) + k
        end do
      end do
    end do
    row_starts(row + 1) = entry + 1
    values = values(:entry)
    columns = columns(:entry)
  end subroutine
end program
