!> Dense matrices through ScaLAPACK, against matmul, and its descriptors.
program dense_test
  use testing
  use mpi_f08
  use tridap
  use, intrinsic :: iso_c_binding, only: c_associated, c_loc, c_ptr
  implicit none
  integer, parameter :: n = 10
  interface
    subroutine blacs_get(context, what, value)
      integer, intent(in) :: context, what
      integer, intent(out) :: value
    end subroutine
    subroutine blacs_gridinit(context, order, nprow, npcol)
      integer, intent(inout) :: context
      character, intent(in) :: order
      integer, intent(in) :: nprow, npcol
    end subroutine
    subroutine blacs_gridexit(context)
      integer, intent(in) :: context
    end subroutine
  end interface
  call begin_tests()
  call solve_and_factor()
  call values_have_the_kind_of_the_array()
  call descriptors()
  call wrong_process()
  call end_tests()

contains

  !> A symmetric positive definite matrix.
  pure real(8) function element(i, j)
    integer, intent(in) :: i, j
    element = 1.0d0/(i + j) + merge(5, 0, i == j)
  end function

  function whole() result(a)
    real(8) :: a(n, n)
    integer :: i, j
    do j = 1, n
      do i = 1, n
        a(i, j) = element(i, j)
      end do
    end do
  end function

  !> The whole of a distributed matrix, on all processes.
  function all_of(u) result(a)
    type(tridap_array), intent(in) :: u
    real(8), allocatable :: a(:, :)
    real(8), pointer :: p(:, :)
    type(tridap_array) :: everywhere
    everywhere = tridap_allgather(u)
    call everywhere%pointer(p)
    allocate(a(size(p, 1), size(p, 2)), source=p)
    call everywhere%release()
  end function

  subroutine set(a, layout)
    real(8), intent(out) :: a(:, :)
    type(tridap_distribution), intent(in) :: layout
    integer :: g(2), i, j
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        call layout%global_index([i, j], g)
        a(i, j) = element(g(1), g(2))
      end do
    end do
  end subroutine

  subroutine solve_and_factor()
    type(tridap_distribution) :: layout
    type(tridap_array) :: a, x, factor, vectors, u, vh, q, r, product
    type(tridap_receipt) :: receipt
    real(8), allocatable, target :: as(:, :)
    real(8) :: values(n), dense(n, n), v(n, n), diagonal(n, n)
    integer :: e(2), i, k
    layout = tridap_distribute([n, n], 'c:3,c:3', MPI_COMM_WORLD)
    e = int(layout%local_shape())
    allocate(as(e(1), e(2)))
    call set(as, layout)
    a = tridap_array_of(as, layout)
    dense = whole()
    x = tridap_dense_solve(a, a, receipt=receipt)
    call holds(maxval(abs(all_of(x) - reshape([(merge(1, 0, modulo(k, n + 1) == 0), k = 0, n*n - 1)], [n, &
        n]))) < 1e-12, 'a x = a has the unit matrix')
    call holds(receipt%bytes_copied > 0 .or. size(as) == 0, 'the receipt counts copies')
    factor = tridap_cholesky(a)
    v = all_of(factor)
    call holds(maxval(abs(matmul(v, transpose(v)) - dense)) < 1e-12, 'the Cholesky factor')
    call tridap_eigh(a, values, vectors)
    v = all_of(vectors)
    diagonal = 0
    do i = 1, n
      diagonal(i, i) = values(i)
    end do
    call holds(maxval(abs(matmul(dense, v) - matmul(v, diagonal))) < 1e-12, 'eigenvectors')
    call holds(all(values(2:) >= values(:n - 1)), 'ascending eigenvalues')
    call tridap_svd(a, u, values, vh)
    diagonal = 0
    do i = 1, n
      diagonal(i, i) = values(i)
    end do
    call holds(maxval(abs(matmul(all_of(u), matmul(diagonal, all_of(vh))) - dense)) < 1e-12, 'singular values')
    call tridap_qr(a, q, r)
    call holds(maxval(abs(matmul(all_of(q), all_of(r)) - dense)) < 1e-12, 'q r')
    product = tridap_matmul(q, q, op_a='T')
    call holds(abs(sum(abs(all_of(product))) - n) < 1e-12, 'q is orthogonal')
    call product%release()
    call r%release()
    call q%release()
    call vh%release()
    call u%release()
    call vectors%release()
    call factor%release()
    call x%release()
    call a%release()
    call layout%release()
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine

  !> Eigenvalues and singular values of real(4), complex(4) and complex(8), beside those of real(8).
  subroutine values_have_the_kind_of_the_array()
    type(tridap_distribution) :: layout
    type(tridap_array) :: a8, a4, c4, c8, vectors, u, vh
    real(8), allocatable, target :: in8(:, :)
    real(4), allocatable, target :: in4(:, :)
    complex(4), allocatable, target :: in_c4(:, :)
    complex(8), allocatable, target :: in_c8(:, :)
    real(8) :: right(n), values8(n + 1)
    real(4) :: values4(n + 1)
    integer :: e(2), stat
    character(400) :: text
    layout = tridap_distribute([n, n], 'c:3,c:3', MPI_COMM_WORLD)
    e = int(layout%local_shape())
    allocate(in8(e(1), e(2)))
    call set(in8, layout)
    in4 = real(in8, 4)
    in_c4 = cmplx(in8, kind=4)
    in_c8 = cmplx(in8, kind=8)
    a8 = tridap_array_of(in8, layout)
    a4 = tridap_array_of(in4, layout)
    c4 = tridap_array_of(in_c4, layout)
    c8 = tridap_array_of(in_c8, layout)
    call tridap_eigh(a8, right, vectors)
    call vectors%release()
    values4 = -1
    values8 = -1
    call tridap_eigh(a4, values4, vectors)
    call holds(all(abs(values4(:n) - right) < 1e-4) .and. values4(n + 1) == -1, 'eigenvalues of real(4)')
    call vectors%release()
    call tridap_eigh(c4, values4(:n), vectors)
    call holds(all(abs(values4(:n) - right) < 1e-4), 'eigenvalues of complex(4)')
    call vectors%release()
    call tridap_eigh(c8, values8, vectors)
    call holds(all(abs(values8(:n) - right) < 1e-12) .and. values8(n + 1) == -1, 'eigenvalues of complex(8)')
    call vectors%release()
    call tridap_svd(a4, u, values4, vh)
    call holds(all(abs(values4(:n) - right(n:1:-1)) < 1e-4), 'singular values of real(4)')
    call u%release()
    call vh%release()
    if (rank == processes - 1) then
      call tridap_eigh(a4, values8, vectors, stat=stat, errmsg=text)
    else
      call tridap_eigh(a4, values4, vectors, stat=stat, errmsg=text)
    end if
    call says(stat, text, 'values is real(8), must be real(4), as the array')
    call vectors%release()
    call tridap_svd(c8, u, values4, vh, stat=stat, errmsg=text)
    call says(stat, text, 'values is real(4), must be real(8), as the array')
    call u%release()
    call vh%release()
    call a8%release()
    call a4%release()
    call c4%release()
    call c8%release()
    call layout%release()
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine

  subroutine descriptors()
    type(tridap_distribution) :: layout, found
    type(tridap_array) :: a, again
    real(8), allocatable, target :: as(:, :)
    type(c_ptr) :: local, address
    integer :: desc(9), context, e(2)
    integer(8) :: grid(2)
    layout = tridap_distribute([n, n], 'c:3,c:3', MPI_COMM_WORLD)
    grid = layout%grid()
    e = int(layout%local_shape())
    allocate(as(max(1, e(1)), max(1, e(2))), source=0.0d0)
    call set(as(:e(1), :e(2)), layout)
    a = tridap_array_of(as(:e(1), :e(2)), layout)
    call blacs_get(-1, 0, context)
    call blacs_gridinit(context, 'R', int(grid(1)), int(grid(2)))
    call tridap_array_to_desc(a, context, desc, local)
    call holds(desc(2) == context .and. all(desc(3:8) == [n, n, 3, 3, 0, 0]), 'a descriptor')
    address = c_loc(as)  ! gfortran 12 ends with an internal error if this stands in the next line
    if (all(e > 0)) call holds(c_associated(local, address), 'of the same memory')
    again = tridap_array_of_desc(desc, as, MPI_COMM_WORLD)
    found = again%distribution()
    call holds(found%equals(layout), 'and back')
    call found%release()
    call again%release()
    call a%release()
    call layout%release()
    call blacs_gridexit(context)
  end subroutine

  subroutine wrong_process()
    type(tridap_distribution) :: layout
    type(tridap_array) :: a, none, b, c
    real(8) :: values(n)
    integer :: stat
    character(400) :: text
    layout = tridap_distribute([n, n], 'c:3,c:3', MPI_COMM_WORLD)
    a = tridap_allocate(layout, tridap_real8)
    call tridap_eigh(a, values(:merge(n - 1, n, rank == processes - 1)), b, stat=stat, errmsg=text)
    call says(stat, text, 'values has 9 elements, must have at least 10')
    none = a
    if (rank == processes - 1) none = b
    b = tridap_dense_solve(none, a, stat=stat, errmsg=text)
    call holds(stat /= 0, 'one process without a matrix')
    b = tridap_matmul(a, a, op_a='X', stat=stat, errmsg=text)
    call holds(stat /= 0, 'no operation')
    b = tridap_cholesky(a, copy='perhaps', stat=stat, errmsg=text)
    call holds(stat /= 0, 'no policy')
    call tridap_svd(a, b, values(:1), c, stat=stat, errmsg=text)
    call says(stat, text, 'values has 1 elements, must have at least 10')
    call a%release()
    call layout%release()
  end subroutine
end program
