!> Global Arrays of a Fortran program and of distributions. All integers of Global Arrays are integer(8) in Debian's
!> build.
program globalarrays_test
  use testing
  use mpi_f08
  use tridap
  implicit none
  external :: ga_sync, nga_get
  logical(8), external :: nga_create, ga_destroy
  integer(8), parameter :: doubles = 1013  ! MT_F_DBL of macommon.h
  call begin_tests()
  call tridap_ga_begin(65536)
  call a_global_array_is_an_array()
  call a_distribution_makes_one()
  call memory_of_the_program()
  call wrong_process()
  call tridap_ga_end()
  call end_tests()

contains

  !> Writes 100*i + j to the element (i, j) of Global Arrays, whose array has the dimensions j, i.
  subroutine write_elements(u)
    type(tridap_array), intent(in) :: u
    type(tridap_distribution) :: layout
    real(8), pointer :: p(:, :)
    integer(8) :: global(2), i, j
    layout = u%distribution()
    call u%pointer(p)
    do i = 1, size(p, 2)
      do j = 1, size(p, 1)
        call layout%global_index([j, i], global)
        p(j, i) = 100*global(2) + global(1)
      end do
    end do
    call layout%release()
  end subroutine

  logical function has_elements(handle, n)
    integer(8), intent(in) :: handle, n(2)
    real(8) :: whole(n(1), n(2))
    integer :: i, j
    call ga_sync()
    call nga_get(handle, [1_8, 1_8], n, whole, n(1))
    has_elements = all(whole == reshape([((100*i + j, i = 1, int(n(1))), j = 1, int(n(2)))], int(n)))
    call ga_sync()
  end function

  subroutine a_global_array_is_an_array()
    type(tridap_array) :: u
    type(tridap_distribution) :: layout
    type(MPI_Comm) :: comm
    integer(8) :: handle
    call holds(logical(nga_create(doubles, 2_8, [5_8, 12_8], 'a', [0_8, 0_8], handle)), 'an array is made')
    call tridap_ga_communicator(handle, comm)
    if (comm /= MPI_COMM_NULL) then
      u = tridap_array_of_ga(handle, comm)
      layout = u%distribution()
      call holds(all(layout%shape() == [12, 5]), 'the last dimension is the first one')
      call write_elements(u)
      call in_the_order_of_fortran(u, comm)
      call u%release()
      call layout%release()
      call MPI_Comm_free(comm)
    end if
    call holds(has_elements(handle, [5_8, 12_8]), 'Global Arrays see what was written')
    call holds(logical(ga_destroy(handle)), 'it is freed')
  end subroutine

  subroutine in_the_order_of_fortran(u, comm)
    type(tridap_array), intent(in) :: u
    type(MPI_Comm), intent(in) :: comm
    type(tridap_distribution) :: layout
    type(tridap_array) :: v
    real(8), pointer :: p(:, :)
    integer(8) :: global(2), i, j
    layout = tridap_distribute([5, 12], 'b,b', comm)
    v = tridap_redistribute(u, layout, axes=[2, 1])
    call v%pointer(p)
    do j = 1, size(p, 2)
      do i = 1, size(p, 1)
        call layout%global_index([i, j], global)
        call holds(p(i, j) == 100*global(1) + global(2), 'axes=[2, 1] turns the dimensions round')
      end do
    end do
    call v%release()
    call layout%release()
  end subroutine

  subroutine a_distribution_makes_one()
    type(tridap_distribution) :: layout
    type(tridap_array) :: u, same
    type(tridap_receipt) :: receipt
    integer(8) :: handle, again
    integer :: default
    real(8) :: total
    layout = tridap_distribute([11, 8], 'b,b', MPI_COMM_WORLD)
    u = tridap_ga_create(layout, tridap_real8, handle)
    call tridap_sum(u, total)
    call holds(total == 0, 'it has zeros')
    call write_elements(u)
    call holds(has_elements(handle, [8_8, 11_8]), 'in the memory of Global Arrays')
    same = tridap_ga_of_array(u, again, receipt=receipt)
    call holds(again == handle .and. receipt%shared, 'it is its own Global Array')
    call same%release()
    same = tridap_ga_of_array(u, default)
    call holds(default == handle, 'handles of default integers')
    call same%release()
    call u%release()
    call layout%release()
  end subroutine

  subroutine memory_of_the_program()
    type(tridap_distribution) :: layout
    type(tridap_array) :: u, copy
    type(tridap_receipt) :: receipt
    real(8), allocatable, target :: field(:, :)
    integer(8) :: handle
    integer :: stat, n(2)
    character(400) :: text
    layout = tridap_distribute([11, 8], 'b,b', MPI_COMM_WORLD)
    n = int(layout%local_shape())
    allocate(field(n(1), n(2)))
    u = tridap_array_of(field, layout)
    call write_elements(u)
    copy = tridap_ga_of_array(u, handle, stat=stat, errmsg=text)
    call says(stat, text, "copy='if_needed'")
    call copy%release()
    copy = tridap_ga_of_array(u, handle, copy='if_needed', receipt=receipt)
    call holds(receipt%bytes_copied == 8*size(field), 'the receipt counts the copy')
    call holds(has_elements(handle, [8_8, 11_8]), 'the copy has the elements')
    call copy%release()
    call u%release()
    call layout%release()
  end subroutine

  subroutine wrong_process()
    type(tridap_distribution) :: layout, no_layout, nothing
    type(tridap_array) :: u, no_array, made
    integer(8) :: handle
    integer :: stat
    character(400) :: text
    layout = tridap_distribute([11, 8], 'b,b', MPI_COMM_WORLD)
    u = tridap_allocate(layout, tridap_real8)
    no_layout = layout
    no_array = u
    if (rank == processes - 1) no_layout = nothing
    if (rank == processes - 1) no_array = made
    made = tridap_ga_create(no_layout, tridap_real8, handle, stat, text)
    call says(stat, text, 'tridap_distribution has the number 0')
    call made%release()
    made = tridap_ga_of_array(no_array, handle, stat=stat, errmsg=text)
    call says(stat, text, 'tridap_array has the number 0')
    call made%release()
    made = tridap_ga_of_array(u, handle, copy='perhaps', stat=stat, errmsg=text)
    call says(stat, text, "must be 'never', 'if_needed' or 'always'")
    call made%release()
    made = tridap_array_of_ga(huge(handle), MPI_COMM_WORLD, stat=stat, errmsg=text)
    call holds(stat /= 0, 'a number that is no handle is refused')
    call made%release()
    call u%release()
    call layout%release()
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine
end program
