!> The C functions of Global Arrays.
module tridap_c_globalarrays
  use tridap_calls
  implicit none
  public

  interface
    integer(c_int) function c_ga_begin(allocator) bind(c, name='tridap_ga_begin')
      import
      integer(c_int64_t), value :: allocator
    end function
    integer(c_int) function c_ga_end() bind(c, name='tridap_ga_end')
      import
    end function
    integer(c_int) function c_array_of_ga(handle, ghosts, comm, array) bind(c, name='tridap_fortran_array_of_ga')
      import
      integer(c_int), value :: handle, ghosts, comm
      integer(c_int64_t), intent(out) :: array
    end function
    integer(c_int) function c_ga_communicator(handle, comm) bind(c, name='tridap_fortran_ga_communicator')
      import
      integer(c_int), value :: handle
      integer(c_int), intent(inout) :: comm
    end function
    integer(c_int) function c_ga_create(layout, type, handle, array) bind(c, name='tridap_ga_create')
      import
      type(c_handle), value :: layout
      integer(c_int), value :: type
      integer(c_int), intent(inout) :: handle
      integer(c_int64_t), intent(out) :: array
    end function
    integer(c_int) function c_ga_of_array(array, copy, handle, in_ga, receipt) bind(c, name='tridap_ga_of_array')
      import
      type(c_handle), value :: array
      integer(c_int), value :: copy
      integer(c_int), intent(inout) :: handle
      integer(c_int64_t), intent(out) :: in_ga
      type(c_receipt), intent(inout) :: receipt
    end function
  end interface

  !> Writes the integer of a communicator.
  interface set_communicator
    module procedure set_comm, set_int32, set_int64
  end interface

contains

  subroutine set_comm(comm, number)
    type(MPI_Comm), intent(out) :: comm
    integer(c_int), intent(in) :: number
    comm%MPI_VAL = number
  end subroutine

  subroutine set_int32(comm, number)
    integer(int32), intent(out) :: comm
    integer(c_int), intent(in) :: number
    comm = number
  end subroutine

  subroutine set_int64(comm, number)
    integer(int64), intent(out) :: comm
    integer(c_int), intent(in) :: number
    comm = number
  end subroutine

end module
