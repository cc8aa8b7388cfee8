!> The Fortran that docs/howto/fortran.md quotes.
program howto
  use testing
  use mpi_f08
  use tridap
  use, intrinsic :: iso_c_binding, only: c_ptr
  implicit none

  type :: model  ! a type of the program
    type(tridap_distribution) :: layout
    type(tridap_array) :: u
    real(8), allocatable :: field(:, :)
  end type

  call begin_tests()
  call a_stencil(MPI_COMM_WORLD)
  call a_model(MPI_COMM_WORLD)
  call start_and_wait(MPI_COMM_WORLD)
  call new_memory(MPI_COMM_WORLD)
  call other_libraries(MPI_COMM_WORLD)
  call errors(MPI_COMM_WORLD)
  call holds(tridap_held() == 0, 'nothing is held')
  call end_tests()

contains

  subroutine a_stencil(comm)
    type(MPI_Comm), intent(in) :: comm
    type(tridap_distribution) :: layout
    type(tridap_array) :: u
    real(8), allocatable, target :: field(:, :)
    real(8) :: total
    integer :: n(2), first(2), last(2), i, j, global(2)
    real(8), allocatable :: mean(:, :)

    layout = tridap_distribute([12, 10], 'b,b', comm, padding=1)
    n = int(layout%local_shape())       ! with the padding
    allocate(field(n(1), n(2)), mean(n(1), n(2)), source=0.0d0)
    u = tridap_array_of(field, layout)  ! this memory, no copy
    call u%interior(first, last)        ! my own elements
    do j = first(2), last(2)
      do i = first(1), last(1)
        call layout%global_index([i, j], global)
        field(i, j) = global(1) + 2*global(2)
      end do
    end do
    call tridap_update_padding(u)       ! collective
    do j = 2, n(2) - 1                  ! 1 and n(2) are padding, or the edge of the whole array
      do i = 2, n(1) - 1
        mean(i, j) = (field(i-1, j) + field(i+1, j) + field(i, j-1) + field(i, j+1))/4
      end do
    end do
    call tridap_sum(u, total)           ! collective
    call u%release()                    ! before `field` is freed
    call layout%release()

    call holds(total == 12*10*(6.5d0 + 2*5.5d0), 'the sum is that of all elements')
    call holds(all(mean(2:n(1)-1, 2:n(2)-1) == field(2:n(1)-1, 2:n(2)-1)), 'a plane is its own mean')
  end subroutine

  subroutine make(m, comm)
    type(model), intent(inout), target :: m
    type(MPI_Comm), intent(in) :: comm
    integer :: n(2)
    m%layout = tridap_distribute([8, 6], '*,b', comm)
    n = int(m%layout%local_shape())
    allocate(m%field(n(1), n(2)))
    m%u = tridap_array_of(m%field, m%layout)
  end subroutine

  subroutine change(m, other)
    type(model), intent(inout), target :: m
    real(8), intent(in) :: other(:, :)
    m%field(:, :) = other  ! never other memory; `m%field = other` is, if the extents differ
  end subroutine

  subroutine a_model(comm)
    type(MPI_Comm), intent(in) :: comm
    type(model), target :: m
    type(tridap_array) :: same
    real(8) :: norm
    call make(m, comm)
    call change(m, spread(spread(1.0d0, 1, size(m%field, 1)), 2, size(m%field, 2)))
    call tridap_norm(m%u, norm)
    same = m%u            ! the same array
    call same%release()   ! releases it, for m%u as well
    call m%layout%release()
    call holds(abs(norm**2 - 48) < 1d-10, 'the norm is that of ones')
  end subroutine

  subroutine start_and_wait(comm)
    type(MPI_Comm), intent(in) :: comm
    type(tridap_distribution) :: columns, rows
    type(tridap_array) :: x, y
    type(tridap_plan) :: plan
    real(8), allocatable, target :: source(:, :)
    real(8), allocatable, target, asynchronous :: goal(:, :)
    integer :: n(2)
    columns = tridap_distribute([6, 9], '*,b', comm)
    rows = tridap_distribute([6, 9], 'b,*', comm)
    n = int(columns%local_shape())
    allocate(source(n(1), n(2)), source=3.0d0)
    n = int(rows%local_shape())
    allocate(goal(n(1), n(2)))
    x = tridap_array_of(source, columns)
    y = tridap_array_of(goal, rows)

    plan = tridap_plan_make(columns, rows, tridap_real8)
    call plan%start(x, y)
    ! compute what needs neither `goal` nor new values in `source`
    call plan%wait()
    call holds(all(goal == 3), 'all elements have come')
    call plan%release()
    call x%release()
    call y%release()
    call columns%release()
    call rows%release()
  end subroutine

  subroutine new_memory(comm)
    type(MPI_Comm), intent(in) :: comm
    type(tridap_distribution) :: layout
    type(tridap_array) :: u
    real(4), pointer :: p(:, :)
    layout = tridap_distribute([5, 5], 'c,c', comm)
    u = tridap_allocate(layout, tridap_real4)
    call u%pointer(p)  ! valid until `u` is released
    p = 1
    call u%release()
    nullify (p)
    call layout%release()
  end subroutine

  subroutine other_libraries(comm)
    type(MPI_Comm), intent(in) :: comm
    type(tridap_distribution) :: layout, again
    type(tridap_array) :: u, v
    type(c_ptr) :: dap
    integer(8) :: errors
    character(:), allocatable :: report
    layout = tridap_distribute([12, 10], 'b,c:2', comm)
    again = tridap_distribution_of_dim_data(layout%dim_data(), comm)  ! collective
    call holds(again%equals(layout), 'the text is read again')
    u = tridap_allocate(layout, tridap_real8)
    dap = tridap_array_to_dap(u)                    ! for a library in C; no copy
    call tridap_check(dap, comm, errors, report)    ! the rules of the protocol, on what all processes have
    v = tridap_array_from_dap(dap, comm)            ! what a library has handed over
    call holds(errors == 0, 'nothing is wrong: '//report)
    call u%release()
    call v%release()
    call again%release()
    call layout%release()
  end subroutine

  subroutine errors(comm)
    type(MPI_Comm), intent(in) :: comm
    type(tridap_distribution) :: layout
    integer :: stat
    character(200) :: message
    layout = tridap_distribute([100, 100], 'b,x', comm, stat=stat, errmsg=message)
    if (stat /= tridap_ok) then  ! message is cut to its length; tridap_message() is the whole
      call says(stat, message, "'x'")
    end if
    call holds(index(tridap_message(), trim(message)) == 1, 'the message is the same')
    call layout%release()
  end subroutine
end program
