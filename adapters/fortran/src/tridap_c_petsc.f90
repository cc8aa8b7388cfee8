!> The C functions of PETSc's objects.
module tridap_c_petsc
  use tridap_calls
  implicit none
  public

  type, bind(c) :: c_dmda_options
    integer(c_int32_t) :: has_width = 0
    integer(c_int64_t) :: stencil_width = 0
    integer(c_int32_t) :: star = 0, dof = 0
  end type

  !> This process's rows of a Mat.
  type, bind(c) :: c_rows
    integer(c_int64_t) :: rows = 0, entries = 0
    type(c_ptr) :: values = c_null_ptr, columns = c_null_ptr, row_starts = c_null_ptr
  end type

  interface
    integer(c_int) function c_ghosts_of_vec(vec, comm, ghosts) bind(c, name='tridap_fortran_ghosts_of_vec')
      import
      integer(c_int64_t), value :: vec
      integer(c_int), value :: comm
      integer(c_int64_t), intent(out) :: ghosts
    end function
    integer(c_int) function c_vec_of_ghosts(ghosts, vec, receipt) bind(c, name='tridap_fortran_vec_of_ghosts')
      import
      type(c_handle), value :: ghosts
      integer(c_int64_t), intent(inout) :: vec
      type(c_receipt), intent(inout) :: receipt
    end function
    integer(c_int) function c_csr_of_mat(mat, comm, rows, csr) bind(c, name='tridap_fortran_csr_of_mat')
      import
      integer(c_int64_t), value :: mat
      integer(c_int), value :: comm
      integer(c_int64_t), intent(out) :: rows
      type(c_rows), intent(inout) :: csr
    end function
    integer(c_int) function c_mat_of_csr(rows, csr, mat, receipt) bind(c, name='tridap_fortran_mat_of_csr')
      import
      type(c_handle), value :: rows
      type(c_csr), intent(in) :: csr
      integer(c_int64_t), intent(inout) :: mat
      type(c_receipt), intent(inout) :: receipt
    end function
    integer(c_int) function c_array_of_vec(vec, has_dm, dm, comm, read_only, array, shift) &
        bind(c, name='tridap_fortran_array_of_vec')
      import
      integer(c_int64_t), value :: vec, dm
      integer(c_int), value :: has_dm, comm, read_only
      integer(c_int64_t), intent(out) :: array
      integer(c_int64_t), intent(inout) :: shift(4)
    end function
    integer(c_int) function c_vec_of_array(array, has_dm, dm, copy, vec, receipt) &
        bind(c, name='tridap_fortran_vec_of_array')
      import
      type(c_handle), value :: array
      integer(c_int64_t), value :: dm
      integer(c_int), value :: has_dm, copy
      integer(c_int64_t), intent(inout) :: vec
      type(c_receipt), intent(inout) :: receipt
    end function
    integer(c_int) function c_of_dmda(dm, ghosts, comm, layout) bind(c, name='tridap_fortran_of_dmda')
      import
      integer(c_int64_t), value :: dm
      integer(c_int), value :: ghosts, comm
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_dmda_of(layout, options, dm) bind(c, name='tridap_fortran_dmda_of')
      import
      type(c_handle), value :: layout
      type(c_dmda_options), intent(in) :: options
      integer(c_int64_t), intent(inout) :: dm
    end function
  end interface

end module
