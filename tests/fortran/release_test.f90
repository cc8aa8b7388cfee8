!> Handles are released in each order, are copied as numbers, and may be left to the end of MPI, and beyond.
program release_test
  use testing
  use mpi_f08
  use tridap
  implicit none
  type :: state  ! handles in types and lists
    type(tridap_distribution) :: layout
    type(tridap_array) :: fields(2)
  end type
  integer :: stat
  type(tridap_array) :: beyond
  call begin_tests()
  call each_order()
  call copies_in_types()
  call left_to_the_end(beyond)
  call end_tests()
  call beyond%release(stat)
  if (stat /= 0) error stop 'a release after MPI_Finalize fails'
  if (tridap_held() /= 0) error stop 'handles are held after MPI_Finalize'

contains

  !> An array, its distribution, a plan, padding and ghosts: in all 120 orders.
  subroutine each_order()
    integer :: order(5), i, j, k, l, m
    do i = 1, 5
      do j = 1, 5
        do k = 1, 5
          do l = 1, 5
            do m = 1, 5
              order = [i, j, k, l, m]
              if (any([count(order == 1), count(order == 2), count(order == 3), count(order == 4)] /= 1)) cycle
              call in_order(order)
            end do
          end do
        end do
      end do
    end do
  end subroutine

  subroutine in_order(order)
    integer, intent(in) :: order(5)
    type(tridap_distribution) :: layout
    type(tridap_array) :: u
    type(tridap_plan) :: plan
    type(tridap_padding) :: padding
    type(tridap_ghosts) :: ghosts
    real(8), allocatable, target :: a(:)
    integer :: i
    layout = tridap_distribute([12], 'b', MPI_COMM_WORLD)
    allocate(a(layout%count()), source=1.0d0)
    u = tridap_array_of(a, layout)
    plan = tridap_plan_make(layout, layout, tridap_real8)
    padding = tridap_padding_make([u])
    ghosts = tridap_ghosts_make(layout, a, [integer ::])
    do i = 1, 5
      select case (order(i))
      case (1)
        call layout%release()
      case (2)
        call u%release()
      case (3)
        call plan%release()
      case (4)
        call padding%release()
      case (5)
        call ghosts%release()
      end select
    end do
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine

  type(state) function made_state() result(made)
    made%layout = tridap_distribute([12], 'b', MPI_COMM_WORLD)
    made%fields(1) = tridap_allocate(made%layout, tridap_integer4)
    made%fields(2) = made%fields(1)  ! the same array
  end function

  subroutine copies_in_types()
    type(state), allocatable :: states(:)
    type(state) :: one
    integer, pointer :: p(:), q(:)
    integer :: i
    allocate(states(3))
    do i = 1, 3
      states(i) = made_state()
    end do
    one = states(2)
    call holds(tridap_held() == 6, 'copies are not counted')
    call one%fields(1)%pointer(p)
    call states(2)%fields(2)%pointer(q)
    call holds(associated(p, q) .or. size(p) == 0, 'copies are one array')
    do i = 1, 3
      call states(i)%fields(2)%release()
      call states(i)%layout%release()
    end do
    call one%layout%release(stat)
    call holds(stat /= 0, 'a second release is an error')
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine

  subroutine left_to_the_end(u)
    type(tridap_array), intent(out) :: u
    type(tridap_distribution) :: layout
    layout = tridap_distribute([12], 'b', MPI_COMM_WORLD, padding=1)
    u = tridap_allocate(layout, tridap_real8)
    call tridap_update_padding(u)
  end subroutine
end program
