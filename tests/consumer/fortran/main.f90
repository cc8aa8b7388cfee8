! A field in blocks is moved to a cyclic axis, and its sum is known.
program consumer
  use mpi_f08, only: MPI_Init, MPI_Finalize
  use tridap
  implicit none
  call MPI_Init()
  call run()
  call MPI_Finalize()
  if (tridap_held() /= 0) error stop 'handles are held'

contains

  subroutine run()
    use mpi, only: MPI_COMM_WORLD
    type(tridap_distribution) :: blocks, cyclic
    type(tridap_array) :: u, v
    real(8), allocatable, target :: elements(:)
    integer, allocatable :: extents(:)
    real(8) :: total
    integer :: stat
    blocks = tridap_distribute([1000], 'b', MPI_COMM_WORLD)
    cyclic = tridap_distribute([1000], 'c:7', MPI_COMM_WORLD, grid=blocks_of(blocks))
    extents = int(blocks%local_shape())
    allocate(elements(extents(1)), source=1.5d0)
    u = tridap_array_of(elements, blocks, stat=stat)
    if (stat /= tridap_ok) error stop 'no array'
    v = tridap_redistribute(u, cyclic)
    call tridap_sum(v, total)
    print '(a,f6.1,a,i0)', 'the sum is ', total, ', integers of bits: ', bit_size(stat)
    call u%release()
    call v%release()
    call blocks%release()
    call cyclic%release()
  end subroutine

  function blocks_of(blocks) result(grid)
    type(tridap_distribution), intent(in) :: blocks
    integer, allocatable :: grid(:)
    grid = int(blocks%grid())
  end function
end program
