!> Matrices, operators, preconditioners, solves and eigenvalues, against the known answers of second differences.
program solve_test
  use testing
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi_f08
  use tridap
  implicit none
  interface
    subroutine listen_to_regions() bind(c)
    end subroutine
    subroutine regions_heard(counts) bind(c)
      import :: c_int
      integer(c_int), intent(out) :: counts(3)
    end subroutine
  end interface
  real(8), parameter :: pi = acos(-1.0d0)
  integer, parameter :: n = 40
  integer :: products = 0, watched = 0
  call begin_tests()
  call vector_solves()
  call regions()
  call field_with_padding()
  call operators()
  call eigenvalues()
  call wrong_process()
  call end_tests()

contains

  !> The rows of this process of the second difference of n elements, in all kinds of lists.
  subroutine rows_of(layout, values, columns, row_starts, base)
    type(tridap_distribution), intent(in) :: layout
    real(8), allocatable, intent(out) :: values(:)
    integer, allocatable, intent(out) :: columns(:), row_starts(:)
    integer, intent(in) :: base
    integer :: g(1), i, c
    allocate(values(0), columns(0), row_starts(0))
    do i = 1, int(layout%count())
      call layout%global_index([i], g)
      row_starts = [row_starts, size(values) + base]
      do c = max(1, g(1) - 1), min(n, g(1) + 1)
        columns = [columns, c - 1 + base]
        values = [values, merge(2.0d0, -1.0d0, c == g(1))]
      end do
    end do
    row_starts = [row_starts, size(values) + base]
  end subroutine

  !> x(g) = sin(pi g / (n+1)) is an eigenvector.
  function sine(layout) result(x)
    type(tridap_distribution), intent(in) :: layout
    real(8), allocatable :: x(:)
    integer :: g(1), i
    allocate(x(layout%count()))
    do i = 1, size(x)
      call layout%global_index([i], g)
      x(i) = sin(pi*g(1)/(n + 1))
    end do
  end function

  real(8) function smallest()
    smallest = 2 - 2*cos(pi/(n + 1))
  end function

  subroutine vector_solves()
    type(tridap_distribution) :: layout
    type(tridap_array) :: b, x
    type(tridap_matrix) :: a(4), other
    type(tridap_preconditioner) :: multigrid
    type(tridap_solution) :: solution
    type(tridap_receipt) :: receipt
    real(8), allocatable, target :: bs(:), xs(:), values(:)
    real(8) :: residuals(50), each(1)
    integer, allocatable :: columns(:), row_starts(:)
    integer :: i
    layout = tridap_distribute([n], 'b', MPI_COMM_WORLD)
    call rows_of(layout, values, columns, row_starts, 1)
    a(1) = tridap_matrix_of_csr(layout, values, columns, row_starts)
    a(2) = tridap_matrix_of_csr(layout, values, int(columns, 8), row_starts)
    a(3) = tridap_matrix_of_csr(layout, values, columns, int(row_starts, 8))
    call rows_of(layout, values, columns, row_starts, 0)
    a(4) = tridap_matrix_of_csr(layout, values, int(columns, 8), int(row_starts, 8), zero_based=.true.)
    bs = sine(layout)
    allocate(xs(size(bs)))
    b = tridap_array_of(bs, layout)
    x = tridap_array_of(xs, layout)
    do i = 1, 4
      call tridap_multiply(a(i), b, x, receipt=receipt)
      call holds(all(abs(xs - smallest()*bs) < 1e-13), 'a sine is an eigenvector')
      call holds(receipt%bytes_copied == 0, 'in place')
      xs = 0
      call tridap_solve(a(i), b, x, solution=solution)
      call holds(solution%converged, 'it converges')
      call holds(all(abs(xs - bs/smallest()) < 1e-6), 'the solution is a sine')
    end do
    call holds(solution%receipt%shared .and. solution%receipt%bytes_copied == 0, 'solved in place')
    call tridap_matrix_update(a(4), 2*values, int(columns, 8), int(row_starts, 8), zero_based=.true.)
    xs = 0
    call tridap_solve(a(4), b, x, method='direct')
    call holds(all(abs(xs - bs/smallest()/2) < 1e-10), 'new values')
    multigrid = tridap_preconditioner_make(a(1), 'muelu', parameters='coarse: max size=10')
    xs = 0
    residuals = -1
    watched = 0
    call tridap_solve(a(1), b, x, method='cg', made=multigrid, tol=1d-10, maxiter=49, watch=watching, &
        residuals=residuals, each=each, solution=solution)
    call holds(all(abs(xs - bs/smallest()) < 1e-6), 'with multigrid')
    call holds(watched > 1, 'it was watched')
    call holds(residuals(1) == 1 .and. residuals(solution%residual_count) <= 1d-10, 'residuals are listed')
    call holds(each(1) <= 1d-10, 'and of each side')
    xs = 0
    call tridap_solve(a(1), b, x, preconditioner='muelu', maxiter=1, watch=ending, solution=solution)
    call holds(solution%stopped .and. .not. solution%converged, 'a watch ends the iteration')
    xs = 0.5
    call tridap_solve(a(1), b, x, maxiter=0, solution=solution)
    call holds(all(xs == 0.5) .and. solution%iterations == 0 .and. solution%residual > 0, 'the residual alone')
    call tridap_solve(a(1), b, x, maxiter=3, tol=0d0, solution=solution)
    call holds(solution%iterations == 3, 'as many iterations as asked for')
    xs = 0
    call tridap_solve(a(1), b, x, method='gmres', parameters='Num Blocks=50')
    call holds(all(abs(xs - bs/smallest()) < 1e-5), 'by gmres')
    call multigrid%release()
    call x%release()
    call b%release()
    do i = 1, 4
      call a(i)%release()
    end do
    other = a(1)
    call layout%release()
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine

  !> A tool of Kokkos hears of a solve between tridap_trace(.true.) and tridap_trace(.false.), also of one that fails.
  subroutine regions()
    type(tridap_distribution) :: layout
    type(tridap_array) :: b, x
    type(tridap_matrix) :: a
    real(8), allocatable, target :: bs(:), xs(:)
    real(8), allocatable :: values(:)
    integer, allocatable :: columns(:), row_starts(:)
    integer(c_int) :: heard(3)
    integer :: i, stat
    character(400) :: text
    layout = tridap_distribute([n], 'b', MPI_COMM_WORLD)
    call rows_of(layout, values, columns, row_starts, 1)
    a = tridap_matrix_of_csr(layout, values, columns, row_starts)
    bs = sine(layout)
    xs = 0*bs
    b = tridap_array_of(bs, layout)
    x = tridap_array_of(xs, layout)
    call listen_to_regions()
    do i = 1, 3
      call tridap_trace(i == 2)
      call tridap_solve(a, b, x)
      call tridap_solve(a, b, x, method='no such', stat=stat, errmsg=text)
      call holds(stat /= 0, 'no such method')
      call regions_heard(heard)
      call holds(heard(1) == merge(0, 2, i == 1), 'solves are heard while the calls are traced')
      call holds(heard(2) == 0 .and. heard(3) == 0, 'each solve is one region, which ends')
    end do
    call x%release()
    call b%release()
    call a%release()
    call layout%release()
  end subroutine

  logical function watching(iteration, residual)
    integer, intent(in) :: iteration
    real(8), intent(in) :: residual
    watched = watched + 1
    watching = iteration < 0 .or. residual < 0
  end function

  logical function ending(iteration, residual)
    integer, intent(in) :: iteration
    real(8), intent(in) :: residual
    ending = iteration >= 0 .and. residual > 0
  end function

  !> A field with padding on two axes is packed; the numbers of elements are i + (j-1)*nx.
  subroutine field_with_padding()
    integer, parameter :: nx = 7, ny = 5
    type(tridap_distribution) :: layout
    type(tridap_array) :: b, x
    type(tridap_matrix) :: a
    type(tridap_solution) :: solution
    real(8), allocatable, target :: bs(:, :), xs(:, :)
    real(8), allocatable :: values(:)
    integer, allocatable :: columns(:), row_starts(:)
    integer :: lo(2), hi(2), g(2), e(2), i, j, stat
    character(400) :: text
    layout = tridap_distribute([nx, ny], 'b,b', MPI_COMM_WORLD, padding=1, inner_only=.true.)
    e = int(layout%local_shape())
    allocate(bs(e(1), e(2)), xs(e(1), e(2)), values(0), columns(0), row_starts(0))
    b = tridap_array_of(bs, layout)
    x = tridap_array_of(xs, layout)
    call x%interior(lo, hi)
    bs = -99
    xs = 0
    do j = lo(2), hi(2)  ! (A x)(i,j) = 4 x(i,j) - x(i+1,j), a system that is solved from the last i on
      do i = lo(1), hi(1)
        call layout%global_index([i, j], g)
        row_starts = [row_starts, size(values) + 1]
        columns = [columns, g(1) + (g(2) - 1)*nx]
        values = [values, 4.0d0]
        if (g(1) < nx) columns = [columns, g(1) + 1 + (g(2) - 1)*nx]
        if (g(1) < nx) values = [values, -1.0d0]
        bs(i, j) = 4*(g(1) + 10*g(2)) - merge(g(1) + 1 + 10*g(2), 0, g(1) < nx)
      end do
    end do
    row_starts = [row_starts, size(values) + 1]
    a = tridap_matrix_of_csr(layout, values, columns, row_starts)
    if (processes > 3) then
      call tridap_solve(a, b, x, method='gmres', stat=stat, errmsg=text)
      call says(stat, text, "copy='if_needed'")
    end if
    call tridap_solve(a, b, x, method='gmres', tol=1d-12, copy='if_needed', solution=solution)
    do j = lo(2), hi(2)
      do i = lo(1), hi(1)
        call layout%global_index([i, j], g)
        call holds(abs(xs(i, j) - (g(1) + 10*g(2))) < 1e-8, 'elements have their numbers')
      end do
    end do
    call tridap_update_padding(x)
    call holds(solution%converged, 'it converges')
    call a%release()
    call x%release()
    call b%release()
    call layout%release()
  end subroutine

  subroutine operators()
    type(tridap_distribution) :: layout
    type(tridap_array) :: b, x
    type(tridap_matrix) :: a
    type(tridap_preconditioner) :: half
    type(tridap_solution) :: solution
    real(8), allocatable, target :: bs(:), xs(:)
    integer :: stat
    character(400) :: text
    layout = tridap_distribute([n], 'c', MPI_COMM_WORLD)
    bs = sine(layout)
    xs = 0*bs
    b = tridap_array_of(bs, layout)
    x = tridap_array_of(xs, layout)
    a = tridap_operator_of(layout, three_times)
    half = tridap_preconditioner_of(layout, halved)
    products = 0
    call tridap_solve(a, b, x, made=half, solution=solution)
    call holds(all(abs(3*xs - bs) < 1e-7), 'an operator of the program is inverted')
    call holds(products > 0, 'by its products')
    call a%release()
    a = tridap_operator_of(layout, failing)
    call tridap_multiply(a, b, x, stat=stat, errmsg=text)
    call holds(stat /= 0, 'a procedure that fails is an error on all')
    call a%release()
    call half%release()
    call x%release()
    call b%release()
    call layout%release()
  end subroutine

  subroutine three_times(x, y, failed)
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y(:)
    logical, intent(inout) :: failed
    y = 3*x
    products = products + 1
    failed = size(x) /= size(y)
  end subroutine

  subroutine halved(x, y, failed)
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y(:)
    logical, intent(inout) :: failed
    y = x/2
    failed = .false.
  end subroutine

  subroutine failing(x, y, failed)
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y(:)
    logical, intent(inout) :: failed
    y = x
    failed = rank == processes - 1
  end subroutine

  subroutine eigenvalues()
    type(tridap_distribution) :: layout, several
    type(tridap_array) :: x
    type(tridap_matrix) :: a
    type(tridap_eigen_solution) :: solution
    real(8), allocatable, target :: xs(:, :)
    real(8), allocatable :: values(:)
    integer, allocatable :: columns(:), row_starts(:)
    real(8) :: w(2), residuals(2)
    layout = tridap_distribute([n], 'b', MPI_COMM_WORLD)
    several = tridap_distribute([n, 2], 'b,*', MPI_COMM_WORLD, grid=[processes, 1])
    call rows_of(layout, values, columns, row_starts, 1)
    a = tridap_matrix_of_csr(layout, values, columns, row_starts)
    allocate(xs(layout%count(), 2), source=0.0d0)
    x = tridap_array_of(xs, several)
    call tridap_eigenvalues(a, x, w, residuals=residuals, tol=1d-6, solution=solution)
    call holds(solution%converged .and. solution%count == 2, 'two eigenvalues')
    call holds(abs(w(1) - smallest()) < 1e-8, 'the smallest one')
    call holds(abs(w(2) - (2 - 2*cos(2*pi/(n + 1)))) < 1e-7, 'and the next')
    call holds(all(residuals < 1e-5), 'with small residuals')
    call x%release()
    call a%release()
    call several%release()
    call layout%release()
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine

  subroutine wrong_process()
    type(tridap_distribution) :: layout
    type(tridap_array) :: b, no_array
    type(tridap_matrix) :: a, no_matrix
    type(tridap_preconditioner) :: none
    real(8), allocatable, target :: bs(:)
    real(8), allocatable :: values(:)
    integer, allocatable :: columns(:), row_starts(:)
    integer :: stat
    character(400) :: text
    character(20) :: number
    real(8) :: w(1)
    layout = tridap_distribute([n], 'b', MPI_COMM_WORLD)
    call rows_of(layout, values, columns, row_starts, 1)
    bs = sine(layout)
    b = tridap_array_of(bs, layout)
    if (rank == processes - 1) values = [values, 1.0d0]
    a = tridap_matrix_of_csr(layout, values, columns, row_starts, stat=stat, errmsg=text)
    call says(stat, text, 'columns has')
    call says(stat, text, ', as values')
    call tridap_multiply(a, b, b, stat=stat, errmsg=text)
    call holds(stat /= 0, 'a matrix that was not made is refused')
    call rows_of(layout, values, columns, row_starts, 1)
    if (rank == processes - 1) row_starts = row_starts(:size(row_starts) - 1)
    a = tridap_matrix_of_csr(layout, values, columns, row_starts, stat=stat, errmsg=text)
    call says(stat, text, "'size(row_starts) - 1' is ")
    call rows_of(layout, values, columns, row_starts, 1)
    if (rank == processes - 1) row_starts(2) = row_starts(3) + 1
    a = tridap_matrix_of_csr(layout, values, columns, row_starts, stat=stat, errmsg=text)
    call says(stat, text, 'local row 2 goes from ')
    write (number, '(i0)') row_starts(2)
    if (rank == processes - 1) call says(stat, text, 'goes from '//trim(number)//' to ')
    call rows_of(layout, values, columns, row_starts, 1)
    a = tridap_matrix_of_csr(layout, values, columns, row_starts)
    if (rank == processes - 1) values = [values, 1.0d0]
    call tridap_matrix_update(a, values, columns, row_starts, stat=stat, errmsg=text)
    call says(stat, text, ', as values')
    no_matrix = a
    no_array = b
    if (rank == processes - 1) no_matrix = tridap_matrix()
    if (rank == processes - 1) no_array = tridap_array()
    call tridap_multiply(no_matrix, b, b, stat=stat, errmsg=text)
    call says(stat, text, 'number 0')
    call tridap_solve(a, no_array, b, stat=stat, errmsg=text)
    call says(stat, text, 'number 0')
    call tridap_solve(a, b, b, copy='perhaps', stat=stat, errmsg=text)
    call holds(stat /= 0, 'no policy')
    call tridap_solve(no_matrix, b, b, stat=stat, errmsg=text)
    call says(stat, text, 'number 0')
    none = tridap_preconditioner_make(no_matrix, 'muelu', stat=stat, errmsg=text)
    call says(stat, text, 'number 0')
    call tridap_eigenvalues(no_matrix, b, w, stat=stat, errmsg=text)
    call holds(stat /= 0, 'one process without a matrix fails all')
    call b%release()
    call layout%release()
  end subroutine
end program
