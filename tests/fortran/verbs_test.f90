!> Each verb once, against plain loops.
program verbs_test
  use testing
  call begin_tests()
  call padding_is_filled()
  call padding_is_added()
  call questions_have_answers()
  call moves_keep_elements()
  call plans_are_repeated()
  call scaled_moves()
  call whole_arrays()
  call reductions_of_all_kinds()
  call ghosts_have_their_elements()
  call other_ways_to_distribute()
  call texts()
  call end_tests()

contains

  pure real(8) function value(g)
    integer(8), intent(in) :: g(2)
    value = 1000.0d0*g(1) + g(2)
  end function

  !> Sets the elements of this process's part by their global indices.
  subroutine set_elements(field, layout)
    use tridap
    real(8), intent(inout) :: field(:, :)
    type(tridap_distribution), intent(in) :: layout
    integer(8) :: g(2)
    integer :: i, j
    do j = 1, size(field, 2)
      do i = 1, size(field, 1)
        call layout%global_index([int(i, 8), int(j, 8)], g)
        field(i, j) = value(g)
      end do
    end do
  end subroutine

  !> Whether all elements of this process's part have the values of their global indices.
  logical function right(field, layout)
    use tridap
    real(8), intent(in) :: field(:, :)
    type(tridap_distribution), intent(in) :: layout
    integer(8) :: g(2)
    integer :: i, j
    right = all(shape(field) == layout%local_shape())
    do j = 1, size(field, 2)
      do i = 1, size(field, 1)
        call layout%global_index([int(i, 8), int(j, 8)], g)
        right = right .and. field(i, j) == value(g)
      end do
    end do
  end function

  subroutine padding_is_filled()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: layout
    type(tridap_array) :: u, v
    type(tridap_padding) :: both
    real(8), allocatable, target :: field(:, :)
    real(8), allocatable, target, asynchronous :: other(:, :)
    real(8) :: total, expected
    integer :: n(2), lo(2), hi(2), i, j
    integer(8) :: g(2)
    layout = tridap_distribute([13, 9], 'b,b', MPI_COMM_WORLD, padding=1)
    n = int(layout%local_shape())
    allocate(field(n(1), n(2)), other(n(1), n(2)))
    u = tridap_array_of(field, layout)
    v = tridap_array_of(other, layout)
    call u%interior(lo, hi)
    field = -1
    do j = lo(2), hi(2)
      do i = lo(1), hi(1)
        call layout%global_index([int(i, 8), int(j, 8)], g)
        field(i, j) = value(g)
      end do
    end do
    other = field
    call tridap_update_padding(u)
    call holds(right(field, layout), 'padding has its elements')
    call tridap_sum(u, total)
    expected = 0
    do j = 1, 9
      do i = 1, 13
        expected = expected + value(int([i, j], 8))
      end do
    end do
    call holds(total == expected, 'the sum is that of a loop')
    both = tridap_padding_make([u, v])
    call both%start()
    call both%wait()
    call holds(right(other, layout), 'padding has its elements after start and wait')
    other(lo(1):hi(1), lo(2):hi(2)) = field(lo(1):hi(1), lo(2):hi(2))
    call tridap_update_padding([u, v])
    call holds(right(other, layout), 'padding of two arrays has its elements')
    call both%release()
    call v%release()
    call u%release()
    call layout%release()
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine

  subroutine padding_is_added()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: layout
    type(tridap_array) :: u
    integer, allocatable, target :: field(:)
    integer :: lo(1), hi(1), n(1), total
    layout = tridap_distribute([24], 'b', MPI_COMM_WORLD, padding=1, periodic=[.true.])
    n = int(layout%local_shape())
    allocate(field(n(1)), source=1)
    u = tridap_array_of(field, layout)
    call u%interior(lo, hi)
    call tridap_sum_padding(u)
    total = sum(field(lo(1):hi(1)))
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call holds(total == 22 + 2*processes, 'each padding is added to one element')  ! of the 24, two are mirrors
    call u%release()
    call layout%release()
  end subroutine

  subroutine questions_have_answers()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: layout, other
    integer(8) :: g(2), back(2), first(2), last(2), counted
    integer :: local(2), n(2), i, j, p, owner
    logical :: held
    layout = tridap_distribute([11_8, 7_8], 'b,c:2', MPI_COMM_WORLD)
    call holds(layout%ndim() == 2, 'two dimensions')
    call holds(layout%processes() == processes, 'all processes')
    call holds(all(layout%shape() == [11, 7]), 'the shape is the one given')
    call holds(product(layout%grid()) == processes, 'the grid has all processes')
    n = int(layout%local_shape())
    call layout%bounds(first, last, tridap_local)
    call holds(all(first == 1) .and. all(last == n), 'bounds are from 1 to the extents')
    call holds(layout%count() == product(n), 'count is the product of the extents')
    counted = 0
    do p = 0, processes - 1
      counted = counted + layout%count(process=p)
    end do
    call holds(counted == 77, 'each element is counted once')
    do j = 1, 7
      do i = 1, 11
        owner = int(layout%owner([i, j]))
        call layout%local_index([i, j], local, held)
        call holds(held .eqv. owner == rank, 'the owner holds it')
        if (.not. held) call holds(all(local == 0), 'no local index')
        if (.not. held) cycle
        call holds(all(local >= 1) .and. all(local <= n), 'local indices count from 1')
        call layout%global_index(int(local, 8), g)
        call holds(all(g == [i, j]), 'there and back')
      end do
    end do
    call layout%local_index([11_8, 7_8], back, held, process=processes - 1)
    call layout%global_index(back, g, process=processes - 1)
    call holds(.not. held .or. all(g == [11, 7]), 'one process asks about another')
    other = tridap_distribute([11, 7], 'b,c:2', MPI_COMM_WORLD%MPI_VAL)
    call holds(layout%equals(other), 'the same distribution by an integer communicator')
    call other%release()
    other = tridap_distribute([11, 7], '*,b', int(MPI_COMM_WORLD%MPI_VAL, 8), grid=[1, processes])
    call holds(.not. layout%equals(other) .or. processes == 1, 'another distribution')
    call holds(all(other%grid() == [1, processes]), 'the grid is the one given')
    call holds(all(other%coordinates() == [0, rank]), 'coordinates count from 0')
    call other%release()
    call layout%release()
  end subroutine

  subroutine moves_keep_elements()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: from, to, turned
    type(tridap_array) :: u, v, w
    real(8), allocatable, target :: field(:, :)
    real(8), pointer :: p(:, :)
    integer :: n(2), i, j
    integer(8) :: g(2)
    from = tridap_distribute([12, 10], 'b,b', MPI_COMM_WORLD)
    to = tridap_distribute([12, 10], '*,c:3', MPI_COMM_WORLD)
    n = int(from%local_shape())
    allocate(field(n(1), n(2)))
    call set_elements(field, from)
    u = tridap_array_of(field, from)
    v = tridap_redistribute(u, to)
    call v%pointer(p)
    call holds(right(p, to), 'a move keeps elements')
    call holds(is_contiguous(p), 'new memory is column-major')
    turned = tridap_distribute([10, 12], 'b,b', MPI_COMM_WORLD)
    w = tridap_redistribute(u, turned, axes=[2, 1], row_major=.true.)
    call w%pointer(p)
    do j = 1, size(p, 2)
      do i = 1, size(p, 1)
        call turned%global_index([int(i, 8), int(j, 8)], g)
        call holds(p(i, j) == value([g(2), g(1)]), 'a move turns dimensions')
      end do
    end do
    call v%pointer(p)
    field = 0
    call tridap_redistribute_into(v, u)
    call holds(right(field, from), 'and back into memory of the program')
    call w%release()
    call v%release()
    call u%release()
    call turned%release()
    call to%release()
    call from%release()
  end subroutine

  subroutine plans_are_repeated()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: from, to
    type(tridap_array) :: u, v, w
    type(tridap_plan) :: plan, back
    real(8), allocatable, target, asynchronous :: field(:, :)
    real(8), pointer, asynchronous :: p(:, :)
    integer :: n(2), i
    integer(8) :: sent, received, kept
    logical :: done
    from = tridap_distribute([12, 10], 'b,b', MPI_COMM_WORLD)
    to = tridap_distribute([12, 10], 'c,c', MPI_COMM_WORLD)
    n = int(from%local_shape())
    allocate(field(n(1), n(2)))
    call set_elements(field, from)
    u = tridap_array_of(field, from)
    v = tridap_allocate(to, tridap_real8)
    plan = tridap_plan_make(from, to, tridap_real8)
    call v%pointer(p)
    do i = 1, 3
      p = 0
      call plan%move(u, v)
      call holds(right(p, to), 'a plan moves each time')
    end do
    p = 0
    call plan%start(u, v)
    done = plan%test()
    call plan%wait()
    call holds(right(p, to), 'start and wait move')
    p = 0
    call plan%move_all([u], [v])
    call holds(right(p, to), 'a list of one is moved')
    w = plan%new(u)
    call w%pointer(p)
    call holds(right(p, to), 'a plan makes memory')
    back = plan%reversed()
    field = 0
    call back%move(w, u)
    call holds(right(field, from), 'the reversed plan moves back')
    call plan%bytes(sent, received, kept)
    call holds(sent + kept == 8*size(field), 'each element is sent or kept')
    call holds(len(plan%explain()) > 0, 'a plan explains itself')
    call back%release()
    call w%release()
    call plan%release()
    call v%release()
    call u%release()
    call to%release()
    call from%release()
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine

  subroutine scaled_moves()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: from, to
    type(tridap_array) :: u, v
    complex(8), allocatable, target :: a(:), b(:)
    integer(8) :: g(1)
    integer :: i
    from = tridap_distribute([17], 'b', MPI_COMM_WORLD)
    to = tridap_distribute([17], 'c', MPI_COMM_WORLD)
    allocate(a(from%count()), b(to%count()))
    do i = 1, size(a)
      call from%global_index([int(i, 8)], g)
      a(i) = cmplx(g(1), 0, 8)
    end do
    b = (1, 1)
    u = tridap_array_of(a, from)
    v = tridap_array_of(b, to)
    call tridap_redistribute_into(u, v, tridap_scaling((0.0d0, 1.0d0), (2.0d0, 0.0d0)))
    do i = 1, size(b)
      call to%global_index([int(i, 8)], g)
      call holds(b(i) == cmplx(2, 2 + g(1), 8), 'i * source + 2 * target')
    end do
    call tridap_redistribute_into(u, v, tridap_scaling(3.0))
    do i = 1, size(b)
      call to%global_index([int(i, 8)], g)
      call holds(b(i) == cmplx(3*g(1), 0, 8), '3 * source')
    end do
    call v%release()
    call u%release()
    call to%release()
    call from%release()
  end subroutine

  subroutine whole_arrays()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: layout
    type(tridap_array) :: u, whole
    real(8), allocatable, target :: field(:, :), all_of_it(:, :)
    real(8), pointer :: p(:, :)
    integer :: n(2), root, i, j
    root = processes - 1
    layout = tridap_distribute([6, 5], 'b,b', MPI_COMM_WORLD)
    n = int(layout%local_shape())
    allocate(field(n(1), n(2)))
    call set_elements(field, layout)
    u = tridap_array_of(field, layout)
    whole = tridap_gather(u, root)
    call holds(whole%is_here() .eqv. rank == root, 'only the root has the whole array')
    if (whole%is_here()) then
      call whole%pointer(p)
      call holds(all(shape(p) == [6, 5]), 'the whole array has its shape')
      call holds(all([((p(i, j) == value(int([i, j], 8)), i = 1, 6), j = 1, 5)]), 'and its elements')
    end if
    call whole%release()
    whole = tridap_allgather(u)
    call whole%pointer(p)
    call holds(all([((p(i, j) == value(int([i, j], 8)), i = 1, 6), j = 1, 5)]), 'every process has the whole array')
    call whole%release()
    if (rank == root) allocate(all_of_it(12, 5), source=0.0d0)
    if (rank == root) then
      call tridap_gather_into(u, root, all_of_it(1:12:2, :))
      call holds(all([((all_of_it(2*i - 1, j) == value(int([i, j], 8)), i = 1, 6), j = 1, 5)]), &
          'gathered into a section')
      call holds(all(all_of_it(2::2, :) == 0), 'the rest stays')
      all_of_it = -all_of_it
      call tridap_scatter(all_of_it(1:12:2, :), root, u)
    else
      call tridap_gather_into(u, root, all_of_it)
      call tridap_scatter(all_of_it, root, u)
    end if
    field = -field
    call holds(right(field, layout), 'scattered from a section')
    call u%release()
    call layout%release()
  end subroutine

  subroutine reductions_of_all_kinds()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: layout
    type(tridap_array) :: u, v
    integer(1), allocatable, target :: i1(:)
    integer(8), allocatable, target :: i8(:)
    real(4), allocatable, target :: r4(:)
    complex(8), allocatable, target :: c8(:)
    integer(1) :: s1
    integer(8) :: s8
    real(4) :: s4, norm4
    real(8) :: norm8
    complex(8) :: z
    integer(8) :: g(1), i
    layout = tridap_distribute([9], 'c', MPI_COMM_WORLD)
    allocate(i1(layout%count()), i8(layout%count()), r4(layout%count()), c8(layout%count()))
    do i = 1, size(i1)
      call layout%global_index([i], g)
      i1(i) = int(g(1), 1)
      i8(i) = 2_8**40*g(1)
      r4(i) = real(g(1)) - 5
      c8(i) = cmplx(0, g(1), 8)
    end do
    u = tridap_array_of(i1, layout)
    call tridap_sum(u, s1)
    call holds(s1 == 45, 'the sum of integer(1)')
    call u%release()
    u = tridap_array_of(i8, layout)
    call tridap_sum(u, s8)
    call holds(s8 == 45*2_8**40, 'the sum of integer(8)')
    call tridap_max(u, s8)
    call holds(s8 == 9*2_8**40, 'the largest integer(8)')
    call u%release()
    u = tridap_read_only_array_of(r4, layout)
    call tridap_min(u, s4)
    call holds(s4 == -4, 'the smallest real(4)')
    call tridap_norm(u, norm4)
    call holds(abs(norm4 - sqrt(60.0)) < 1e-5, 'the norm of real(4)')
    call u%release()
    u = tridap_array_of(c8, layout)
    v = u
    call tridap_dot(u, v, z)
    call holds(z == (285, 0), 'the first factor is conjugated')
    call tridap_norm(u, norm8)
    call holds(abs(norm8 - sqrt(285.0d0)) < 1e-12, 'the norm of complex(8)')
    call v%release()
    call layout%release()
  end subroutine

  subroutine ghosts_have_their_elements()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: nodes
    type(tridap_ghosts) :: ghosts
    real(8), allocatable, target :: x(:)
    integer, allocatable :: mine(:), ids(:)
    integer :: i, n
    n = 3*processes
    mine = [(3*rank + i, i = 1, 3)]
    ids = [integer ::]  ! a process has no ghosts of its own elements
    if (processes > 1) ids = [modulo(3*rank + 3, n) + 1, modulo(3*rank - 1, n) + 1]
    nodes = tridap_distribution_of_lists(mine, MPI_COMM_WORLD)
    allocate(x(3 + size(ids)), source=0.0d0)
    x(1:3) = mine
    ghosts = tridap_ghosts_make(nodes, x, ids)
    call ghosts%update()
    call holds(all(x(4:) == ids), 'each ghost has its element')
    x = 1
    call ghosts%sum()
    if (processes > 1) call holds(all(x(1:3) == [2, 1, 2]), 'each ghost is added to its element')
    x(1:3) = mine
    call ghosts%start()
    call ghosts%wait()
    call holds(all(x(4:) == ids), 'start and wait update')
    call ghosts%release()
    call nodes%release()
  end subroutine

  subroutine other_ways_to_distribute()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: a, b
    type(MPI_Comm) :: cart
    integer :: dims(2), desc(9)
    dims = 0
    call MPI_Dims_create(processes, 2, dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., cart)
    a = tridap_distribution_of_cart([8, 12], 1, cart)
    call holds(all(a%grid() == dims), 'the grid of MPI_Cart')
    call a%release()
    call MPI_Comm_free(cart)
    desc = [1, 0, 20, 30, 4, 5, 0, 0, 20]
    a = tridap_distribution_of_desc(desc, dims(1), dims(2), MPI_COMM_WORLD)
    b = tridap_distribute([20, 30], 'c:4,c:5', MPI_COMM_WORLD, grid=dims)
    call holds(a%equals(b), 'a ScaLAPACK descriptor is a distribution of blocks')
    call a%release()
    a = tridap_distribution_of_hpf([20_8, 30_8], '(CYCLIC(4), CYCLIC(5))', MPI_COMM_WORLD, grid=dims)
    call holds(a%equals(b), 'HPF writes it so')
    call a%release()
    call b%release()
    a = tridap_distribution_of_chapel([20, 30], 'stencilDist', MPI_COMM_WORLD, fluff=1)
    b = tridap_interior_of(a)
    call holds(b%count() == product(b%local_shape()), 'the interior has no padding')
    call b%release()
    call a%release()
  end subroutine

  subroutine texts()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: layout
    layout = tridap_distribute([20, 30], 'b,c:2', MPI_COMM_WORLD)
    call holds(layout%text() == 'b,c:2' .or. processes == 1, 'the text of a distribution')
    call holds(index(layout%describe(), 'cyclic') > 0, 'a line for people')
    call holds(index(layout%dim_data(), '"dist_type"') > 0, 'dim_data as JSON')
    call holds(index(tridap_version(), '.') > 0, 'the version')
    call tridap_watch(100.0d0, MPI_COMM_WORLD)
    call tridap_watch(0.0d0, MPI_COMM_WORLD)
    call layout%release()
    call holds(tridap_held() == 0, 'nothing is held at the end')
  end subroutine
end program
