! The field in an HDF5 file.
module stencil_file
  use mpi_f08
  use tridap
  implicit none
  private
  public :: save_and_load

contains

  ! Saves the field, and loads it in whole columns, as a program on another number of processes would.
  subroutine save_and_load(u, extents, heat)
    type(tridap_array), intent(in) :: u
    integer, intent(in) :: extents(2)
    real(8), intent(in) :: heat
    character(*), parameter :: path = '12_fortran_stencil.h5'
    type(tridap_distribution) :: columns
    type(tridap_array) :: loaded
    integer :: rank, unit
    real(8) :: found
    call tridap_save(path, 'u', u)
    columns = tridap_distribute(extents, '*,b', MPI_COMM_WORLD)
    loaded = tridap_load(path, 'u', MPI_COMM_WORLD, layout=columns)
    call tridap_sum(loaded, found)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0) then
      print '(3a,f8.4)', 'loaded    ', columns%describe(), ', heat ', found
      open(newunit=unit, file=path)
      close(unit, status='delete')
    end if
    if (abs(found - heat) > 1d-6) call MPI_Abort(MPI_COMM_WORLD, 1)
    call loaded%release()
    call columns%release()
  end subroutine

end module
