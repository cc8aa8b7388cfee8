!> The C functions of dense matrices.
module tridap_c_scalapack
  use tridap_c
  implicit none
  public

  type, bind(c) :: c_dense_options
    integer(c_int) :: copy = 0
    integer(c_int32_t) :: overwrite_a = 0, overwrite_b = 0, upper = 0
    integer(c_int) :: op_a = 0, op_b = 0
  end type

  interface
    integer(c_int) function c_dense_solve(a, b, options, x, receipt) bind(c, name='tridap_dense_solve')
      import
      type(c_handle), value :: a, b
      type(c_dense_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: x
      type(c_receipt), intent(inout) :: receipt
    end function
    integer(c_int) function c_cholesky(a, options, factor, receipt) bind(c, name='tridap_cholesky')
      import
      type(c_handle), value :: a
      type(c_dense_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: factor
      type(c_receipt), intent(inout) :: receipt
    end function
    integer(c_int) function c_eigh(a, options, values, vectors, receipt) bind(c, name='tridap_eigh')
      import
      type(c_handle), value :: a
      type(c_dense_options), intent(in) :: options
      real(c_double), intent(inout) :: values(*)
      integer(c_int64_t), intent(out) :: vectors
      type(c_receipt), intent(inout) :: receipt
    end function
    integer(c_int) function c_svd(a, options, u, values, vh, receipt) bind(c, name='tridap_svd')
      import
      type(c_handle), value :: a
      type(c_dense_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: u, vh
      real(c_double), intent(inout) :: values(*)
      type(c_receipt), intent(inout) :: receipt
    end function
    integer(c_int) function c_qr(a, options, q, r, receipt) bind(c, name='tridap_qr')
      import
      type(c_handle), value :: a
      type(c_dense_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: q, r
      type(c_receipt), intent(inout) :: receipt
    end function
    integer(c_int) function c_matmul(a, b, options, c, receipt) bind(c, name='tridap_matmul')
      import
      type(c_handle), value :: a, b
      type(c_dense_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: c
      type(c_receipt), intent(inout) :: receipt
    end function
    integer(c_int) function c_array_of_desc(desc, local, comm, array) bind(c, name='tridap_fortran_array_of_desc')
      import
      integer(c_int), intent(in) :: desc(9)
      type(*), dimension(..), intent(inout), target :: local
      integer(c_int), value :: comm
      integer(c_int64_t), intent(out) :: array
    end function
    integer(c_int) function c_array_to_desc(array, context, desc, local) bind(c, name='tridap_array_to_desc')
      import
      type(c_handle), value :: array
      integer(c_int), value :: context
      integer(c_int), intent(inout) :: desc(9)
      type(c_ptr), intent(inout) :: local
    end function
  end interface

contains

  type(c_dense_options) function dense_options(copy, overwrite_a, overwrite_b, upper, op_a, op_b) result(options)
    character(*), intent(in), optional :: copy, op_a, op_b
    logical, intent(in), optional :: overwrite_a, overwrite_b, upper
    options%copy = number_of_copy(copy)
    options%overwrite_a = flag(overwrite_a)
    options%overwrite_b = flag(overwrite_b)
    options%upper = flag(upper)
    options%op_a = number_of_op(op_a)
    options%op_b = number_of_op(op_b)
  end function

  !> Another letter is refused by C, on all processes.
  pure integer(c_int) function number_of_op(op) result(number)
    character(*), intent(in), optional :: op
    number = 0
    if (.not. present(op)) return
    select case (op)
    case ('N', 'n')
      number = 0
    case ('T', 't')
      number = 1
    case ('C', 'c')
      number = 2
    case default
      number = -1
    end select
  end function

end module
