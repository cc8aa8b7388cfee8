! The fields in an HDF5 file.
module stencil_file
  use mpi_f08
  use tridap
  implicit none
  private
  public :: save_and_load

contains

  ! Saves two fields, and loads the second one on half of the processes, as another job would. Each element must be equal.
  subroutine save_and_load(before, after)
    type(tridap_array), intent(in) :: before, after
    type(tridap_array) :: saved, loaded, whole
    type(tridap_distribution) :: layout
    type(MPI_Comm) :: half
    real(8), pointer :: of_saved(:, :), of_loaded(:, :)
    character(:), allocatable :: path
    integer :: rank, processes
    logical :: kept
    call file_name(path, kept)
    call tridap_save(path, [character(6) :: 'before', 'after'], [before, after])

    saved = tridap_gather(after, 0)  ! to rank 0 of all
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, processes)
    call MPI_Comm_split(MPI_COMM_WORLD, merge(0, MPI_UNDEFINED, 2*rank < processes), rank, half)
    if (half /= MPI_COMM_NULL) then
      loaded = tridap_load(path, 'after', half)
      whole = tridap_gather(loaded, 0)
      if (rank == 0) then
        call saved%pointer(of_saved)
        call whole%pointer(of_loaded)
        if (any(of_loaded /= of_saved)) call MPI_Abort(MPI_COMM_WORLD, 1)
        layout = loaded%distribution()
        print '(3a)', 'loaded    ', layout%describe(), ', all elements equal'
        call layout%release()
        if (.not. kept) call delete(path)
      end if
      call whole%release()
      call loaded%release()
      call MPI_Comm_free(half)
    end if
    call saved%release()
  end subroutine

  ! The file that the command names, which is kept; or one that is deleted again.
  subroutine file_name(path, kept)
    character(:), allocatable, intent(out) :: path
    logical, intent(out) :: kept
    integer :: length
    kept = command_argument_count() > 0
    path = '12_fortran_stencil.h5'
    if (.not. kept) return
    call get_command_argument(1, length=length)
    deallocate(path)
    allocate(character(length) :: path)
    call get_command_argument(1, path)
  end subroutine

  subroutine delete(path)
    character(*), intent(in) :: path
    integer :: unit
    open(newunit=unit, file=path)
    close(unit, status='delete')
  end subroutine

end module
