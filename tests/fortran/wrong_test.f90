!> One wrong process fails each collective call on all, and texts name the fault and the remedy.
program wrong_test
  use testing
  call begin_tests()
  call each_collective_call()
  call memory_that_is_wrong()
  call arguments_that_are_wrong()
  call handles_that_are_wrong()
  call end_tests()

contains

  !> All processes have failed, and with the same text.
  subroutine fails_everywhere(stat, text, part)
    use mpi_f08
    integer, intent(in) :: stat
    character(*), intent(in) :: text, part
    character(len(text)) :: first
    call says(stat, text, part)
    first = text
    call MPI_Bcast(first, len(first), MPI_CHARACTER, 0, MPI_COMM_WORLD)
    call holds(first == text, 'the same text on all processes: '//trim(text))
  end subroutine

  subroutine each_collective_call()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: layout, lists, other, no_layout
    type(tridap_array) :: u, v, w, no_array, made
    type(tridap_plan) :: plan, no_plan, made_plan
    type(tridap_padding) :: no_padding
    type(tridap_ghosts) :: ghosts
    real(8), allocatable, target :: a(:), b(:), whole(:)
    real(4), target :: r4
    real(8), target :: r8
    character(400) :: text
    integer :: stat
    logical :: wrong
    wrong = rank == processes - 1
    layout = tridap_distribute([12], 'b', MPI_COMM_WORLD, padding=1)
    other = tridap_distribute([12], 'c', MPI_COMM_WORLD)
    allocate(a(product(layout%local_shape())), source=1.0d0)
    allocate(b(other%count()), source=0.0d0)
    u = tridap_array_of(a, layout)
    v = tridap_array_of(b, other)
    plan = tridap_plan_make(layout, other, tridap_real8)
    w = merge_array(no_array, u, wrong)
    no_plan = plan
    if (wrong) no_plan = made_plan
    no_layout = other
    if (wrong) no_layout = lists

    call tridap_update_padding(w, stat, text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    call tridap_update_padding([u, w], stat, text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    call tridap_sum_padding(w, stat, text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    call tridap_sum_padding([w, u], stat, text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    no_padding = tridap_padding_make([w], stat=stat, errmsg=text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    made = tridap_redistribute(w, other, stat=stat, errmsg=text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    made = tridap_redistribute(u, no_layout, stat=stat, errmsg=text)
    call fails_everywhere(stat, text, 'tridap_distribution has the number 0')
    made = tridap_redistribute(u, other, axes=[merge(2, 1, wrong)], stat=stat, errmsg=text)
    call holds(stat /= 0, 'dimension 2 of a vector is refused')
    call tridap_redistribute_into(w, v, stat=stat, errmsg=text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    made_plan = tridap_plan_make(layout, no_layout, tridap_real8, stat=stat, errmsg=text)
    call fails_everywhere(stat, text, 'tridap_distribution has the number 0')
    call plan%move(w, v, stat=stat, errmsg=text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    call no_plan%move(u, v, stat=stat, errmsg=text)
    call fails_everywhere(stat, text, 'tridap_plan has the number 0')
    call plan%start(w, v, stat=stat, errmsg=text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    call plan%move_all([w], [v], stat=stat, errmsg=text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    if (wrong) then
      call plan%move_all([u, u], [v], stat=stat, errmsg=text)
    else
      call plan%move_all([u], [v], stat=stat, errmsg=text)
    end if
    call holds(stat /= 0, 'lists of two lengths are refused')
    made = plan%new(w, stat, text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    made_plan = no_plan%reversed(stat, text)
    call fails_everywhere(stat, text, 'tridap_plan has the number 0')
    made = tridap_gather(w, 0, stat, text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    made = tridap_gather(u, processes, stat, text)
    call fails_everywhere(stat, text, 'the root is')
    made = tridap_allgather(w, stat, text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    call tridap_gather_into(u, 0, whole, stat, text)  ! which the root has not allocated
    call fails_everywhere(stat, text, 'not allocated')
    call tridap_scatter(whole, 0, u, stat, text)
    call fails_everywhere(stat, text, 'not allocated')
    call tridap_sum(w, r8, stat, text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    if (wrong) then
      call tridap_max(u, r4, stat, text)
    else
      call tridap_max(u, r8, stat, text)
    end if
    call fails_everywhere(stat, text, 'the result is real(4), must be real(8)')
    if (wrong) then
      call tridap_min(u, a, stat, text)
    else
      call tridap_min(u, r8, stat, text)
    end if
    call fails_everywhere(stat, text, 'must be a scalar')
    call tridap_dot(u, w, r8, stat, text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    call tridap_norm(w, r8, stat, text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    if (wrong) then
      call tridap_norm(u, r4, stat, text)
    else
      call tridap_norm(u, r8, stat, text)
    end if
    call fails_everywhere(stat, text, 'norm is real(4), must be real(8)')
    call tridap_write_capture(w, 'never_written', stat, text)
    call fails_everywhere(stat, text, 'tridap_array has the number 0')
    lists = tridap_distribution_of_lists([merge(1, rank + 1, wrong)], MPI_COMM_WORLD, stat, text)
    call holds(stat == 0, 'two processes may list one element')
    ghosts = tridap_ghosts_make(other, b, [merge(0, modulo(rank + 1, 12) + 1, wrong)], stat, text)
    call holds(stat /= 0, 'ids of ghosts count from 1')

    call plan%move(u, v)  ! all is as before
    call holds(all(b == 1), 'the next right call works')
    call plan%release()
  end subroutine

  type(tridap_array) function merge_array(a, b, first) result(chosen)
    use tridap
    type(tridap_array), intent(in) :: a, b
    logical, intent(in) :: first
    chosen = b
    if (first) chosen = a
  end function

  !> Memory that one process gives wrongly: its array stands for the failure, and the next collective call says it.
  subroutine memory_that_is_wrong()
    use mpi_f08
    use tridap
    type :: pair
      integer :: first, second
    end type
    type(tridap_distribution) :: layout
    type(tridap_array) :: u
    real(8), allocatable, target :: a(:, :), unallocated(:, :)
    real(16), target :: quad(2, 2)
    logical, target :: flags(2, 2)
    character(3), target :: letters(2, 2)
    type(pair), target :: pairs(2, 2)
    character(400) :: text
    integer :: stat
    logical :: wrong
    wrong = rank == processes - 1
    layout = tridap_distribute([4*processes, 3], 'b,*', MPI_COMM_WORLD)
    allocate(a(4, 3), source=0.0d0)
    u = tridap_array_of(a, layout)
    if (wrong) u = tridap_array_of(unallocated, layout, stat=stat, errmsg=text)
    if (wrong) call says(stat, text, 'the memory is not allocated, must be [conversion]: allocate it')
    call tridap_update_padding(u, stat, text)
    call fails_everywhere(stat, text, 'the memory is not allocated')
    call assumed_size(a, layout)
    u = tridap_array_of(quad, layout, stat=stat, errmsg=text)
    call says(stat, text, 'real(16)')
    u = tridap_array_of(flags, layout, stat=stat, errmsg=text)
    call says(stat, text, 'logical(4)')
    u = tridap_array_of(letters, layout, stat=stat)  ! gfortran passes errmsg=text wrongly beside characters
    text = tridap_message()
    call says(stat, text, 'characters')
    u = tridap_array_of(pairs, layout, stat=stat, errmsg=text)
    call says(stat, text, 'elements of a derived type')
    u = tridap_array_of(a(1:3, :), layout, stat=stat, errmsg=text)
    call says(stat, text, 'the memory has 3 x 3 elements, must have 4 x 3 elements')
    call says(stat, text, 'layout%local_shape()')
    u = tridap_array_of(a(:, 1), layout, stat=stat, errmsg=text)
    call says(stat, text, 'the memory has 4 elements')
    u = tridap_array_of(a, layout, device='gpu:0', stat=stat, errmsg=text)
    call says(stat, text, "device='cuda:0'")
  end subroutine

  subroutine assumed_size(a, layout)
    use tridap
    real(8), intent(inout), target :: a(4, *)
    type(tridap_distribution), intent(in) :: layout
    type(tridap_array) :: u
    character(400) :: text
    integer :: stat
    u = tridap_array_of(a, layout, stat=stat, errmsg=text)
    call says(stat, text, 'a(1:lda, 1:n)')
    u = tridap_array_of(a(1:4, 1:3), layout, stat=stat, errmsg=text)  ! the remedy
    call holds(stat == 0, 'the remedy for assumed size works')
  end subroutine

  subroutine arguments_that_are_wrong()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: layout
    type(tridap_array) :: u
    real(8), pointer :: p(:), q(:, :)
    real(4), pointer :: r(:, :)
    integer :: three(3), two(2), stat
    integer(8) :: owner
    logical :: held
    character(400) :: text
    layout = tridap_distribute([12, 9], 'b,b,b', MPI_COMM_WORLD, stat=stat, errmsg=text)
    call says(stat, text, "must have a text for each of the 2 dimensions")
    layout = tridap_distribute([12, 9], 'b,b', MPI_COMM_WORLD, grid=[1], stat=stat, errmsg=text)
    call says(stat, text, 'grid has 1 elements, must have 2')
    layout = tridap_distribute([12, 9], 'b,b', MPI_COMM_WORLD, paddings=[1, 1, 1], stat=stat, errmsg=text)
    call says(stat, text, 'paddings has 3 elements, must have 2')
    layout = tridap_distribute([12, 9], 'b,c', MPI_COMM_WORLD, paddings=[0, 1], stat=stat, errmsg=text)
    call says(stat, text, 'dimension 2')
    layout = tridap_distribute([12, 9], 'b,b', MPI_COMM_WORLD)
    owner = layout%owner([12, 10], stat, text)
    call says(stat, text, 'the global index along dimension 2 is 10, must be from 1 to 9')
    call holds(owner == -1, 'no owner')
    owner = layout%owner([0_8, 1_8], stat, text)
    call says(stat, text, 'the global index along dimension 1 is 0, must be from 1 to 12')
    owner = layout%owner([1], stat, text)
    call says(stat, text, 'global has 1 elements, must have 2, one for each dimension')
    call layout%local_index([1, 1], three, held, stat=stat, errmsg=text)
    call says(stat, text, 'local has 3 elements')
    call layout%bounds(two, three, stat=stat, errmsg=text)
    call says(stat, text, 'last has 3 elements')
    u = tridap_allocate(layout, tridap_real8)
    call u%interior(three, two, stat, text)
    call says(stat, text, 'first has 3 elements')
    call u%pointer(p, stat, text)
    call says(stat, text, 'the pointer has rank 1, must have rank 2')
    call u%pointer(r, stat, text)
    call says(stat, text, 'the pointer is real(4), but the array has real(8)')
    call holds(.not. associated(r), 'a pointer that is refused is not associated')
    call u%pointer(q)
    call holds(associated(q) .or. size(q) == 0, 'the right pointer is associated')
    call u%release()
    call layout%release()
  end subroutine

  subroutine handles_that_are_wrong()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: layout, copy, nothing
    character(10) :: short
    character(:), allocatable :: whole
    character(400) :: text
    integer :: stat, n
    layout = tridap_distribute([12], 'b', MPI_COMM_WORLD)
    copy = layout
    call layout%release()
    n = copy%ndim(stat, text)
    call says(stat, text, 'not in use')
    call holds(n == 0, 'a failed function returns zero')
    call copy%release(stat, text)
    call says(stat, text, 'not in use')
    call nothing%release(stat)
    call holds(stat == 0, 'what was never made may be released')
    call copy%release(stat, short)
    whole = tridap_message()
    call holds(index(whole, short) == 1 .and. len(whole) > 10, 'errmsg is cut, tridap_message is not')
    text = 'as before'
    layout = tridap_distribute([12], 'b', MPI_COMM_WORLD, stat=stat, errmsg=text)
    call holds(stat == 0 .and. text == 'as before', 'errmsg stays if nothing fails')
    call layout%release()
  end subroutine
end program
