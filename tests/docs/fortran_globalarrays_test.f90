!> The lines about Global Arrays in docs/coming_from.md: Global Arrays itself puts the elements.
program fortran_globalarrays_test
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc
  use testing
  use mpi_f08
  use tridap
  implicit none
  external :: ga_initialize, ga_terminate, ga_sync, nga_distribution, nga_access, nga_release_update, nga_put
  logical(8), external :: nga_create, ga_destroy
  integer(8), external :: ga_nodeid
  integer(8), parameter :: doubles = 1013  ! MT_F_DBL of macommon.h
  real(8), target :: dbl_mb(2)
  common /mbc_dbl/ dbl_mb
  call begin_tests()
  call ga_initialize()
  call tiles_are_those_of_a_global_array([5_8, 12_8])
  call ga_terminate()
  call end_tests()

contains

  subroutine tiles_are_those_of_a_global_array(shape_of_g_a)
    integer(8), intent(in) :: shape_of_g_a(2)
    type(MPI_Comm) :: comm
    real(8) :: column(5)
    integer(8) :: g_a, me, i, j, global(2)
    comm = MPI_COMM_WORLD
    me = ga_nodeid()
    call holds(me == rank, 'processes have the order of MPI')
    call holds(logical(nga_create(doubles, 2_8, shape_of_g_a, 'a', [shape_of_g_a(1), 0_8], g_a)), 'an array is made')
    do j = 1 + me, shape_of_g_a(2), processes
      column = [(100.0d0*i + j, i=1, 5)]
      call nga_put(g_a, [1_8, j], [5_8, j], column, [5_8])
    end do
    call ga_sync()
    block
      include 'globalarrays_lines.inc'
      call tiled%pointer(tile)
      do j = 1, size(tile, 2)
        do i = 1, size(tile, 1)
          call tiles%global_index([i, j], global)
          call holds(tile(i, j) == 100*global(1) + global(2), 'a tile has its elements')
        end do
      end do
      call array%release()
      call tiled%release()
    end block
    call holds(logical(ga_destroy(g_a)), 'the array is freed')
  end subroutine
end program
