!> Each verb once, against plain loops.
program verbs_test
  use testing
  call begin_tests()
  call padding_is_filled()
  call end_tests()

contains

  real(8) function value(i, j)
    integer(8), intent(in) :: i, j
    value = 1000.0d0*i + j
  end function

  subroutine padding_is_filled()
    use mpi_f08
    use tridap
    type(tridap_distribution) :: layout
    type(tridap_array) :: u
    real(8), allocatable, target :: field(:, :)
    real(8) :: total, expected
    integer :: n(2), lo(2), hi(2), i, j
    integer(8) :: g(2)
    layout = tridap_distribute([13, 9], 'b,b', MPI_COMM_WORLD, padding=1)
    n = int(layout%local_shape())
    allocate(field(n(1), n(2)))
    u = tridap_array_of(field, layout)
    call u%interior(lo, hi)
    field = -1
    do j = lo(2), hi(2)
      do i = lo(1), hi(1)
        call layout%global_index([int(i, 8), int(j, 8)], g)
        field(i, j) = value(g(1), g(2))
      end do
    end do
    call tridap_update_padding(u)
    do j = 1, n(2)
      do i = 1, n(1)
        call layout%global_index([int(i, 8), int(j, 8)], g)
        if (all(g > 1) .and. all(g < [13, 9])) call holds(field(i, j) == value(g(1), g(2)), 'padding has its element')
        if (any(g == 1) .or. any(g == [13, 9])) call holds(field(i, j) == -1, 'the outer edge stays')
      end do
    end do
    call tridap_sum(u, total)
    expected = 0
    do j = 2, 8
      do i = 2, 12
        expected = expected + value(int(i, 8), int(j, 8))
      end do
    end do
    call holds(total == expected, 'the sum is that of a loop')
    call u%release()
    call layout%release()
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine
end program
