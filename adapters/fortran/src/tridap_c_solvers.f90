!> The C functions of the solvers.
module tridap_c_solvers
  use tridap_calls
  use tridap, only: tridap_apply, tridap_watch_residual
  implicit none
  public

  real(c_double), parameter :: c_zero = -2147483647  !< for an option whose 0 means a default: the number 0

  !> A procedure of the program, and how many elements its vectors have.
  type, bind(c) :: program_procedure
    type(c_funptr) :: address = c_null_funptr
    integer(c_int64_t) :: count = 0
  end type

  type, bind(c) :: c_preconditioner_options
    type(c_ptr) :: parameters = c_null_ptr
    integer(c_int32_t) :: unsymmetric = 0
    type(c_handle) :: coordinates, nullspace
  end type

  type, bind(c) :: c_solve_options
    type(c_ptr) :: method = c_null_ptr, preconditioner = c_null_ptr
    type(c_handle) :: made
    real(c_double) :: tol = 0, atol = 0
    integer(c_int32_t) :: maxiter = 0
    integer(c_int) :: copy = 0
    type(c_ptr) :: parameters = c_null_ptr, preconditioner_parameters = c_null_ptr
    type(c_funptr) :: watch = c_null_funptr
    type(c_ptr) :: user = c_null_ptr, residuals = c_null_ptr
    integer(c_int64_t) :: residual_size = 0
    type(c_ptr) :: each = c_null_ptr
    integer(c_int64_t) :: each_size = 0
  end type

  type, bind(c) :: c_solution
    integer(c_int32_t) :: converged = 0, stopped = 0, iterations = 0
    real(c_double) :: residual = 0
    integer(c_int64_t) :: residual_count = 0
    real(c_double) :: seconds = 0
    type(c_receipt) :: receipt
  end type

  type, bind(c) :: c_eigen_options
    type(c_ptr) :: method = c_null_ptr, which = c_null_ptr, sigma = c_null_ptr
    real(c_double) :: tol = 0
    integer(c_int32_t) :: maxiter = 0
    type(c_handle) :: preconditioner
    integer(c_int) :: copy = 0
    integer(c_int64_t) :: room = 0
  end type

  type, bind(c) :: c_eigen_solution
    integer(c_int32_t) :: converged = 0, iterations = 0
    integer(c_int64_t) :: count = 0
    real(c_double) :: seconds = 0
    type(c_receipt) :: receipt
  end type

  interface
    integer(c_int) function c_matrix_of_csr(rows, csr, matrix) bind(c, name='tridap_matrix_of_csr')
      import
      type(c_handle), value :: rows
      type(c_csr), intent(in) :: csr
      integer(c_int64_t), intent(out) :: matrix
    end function
    integer(c_int) function c_matrix_update(matrix, csr, receipt) bind(c, name='tridap_matrix_update')
      import
      type(c_handle), value :: matrix
      type(c_csr), intent(in) :: csr
      type(c_receipt), intent(inout) :: receipt
    end function
    integer(c_int) function c_operator_of(rows, order, apply, user, matrix) bind(c, name='tridap_operator_of')
      import
      type(c_handle), value :: rows
      integer(c_int), value :: order
      type(c_funptr), value :: apply
      type(c_ptr), value :: user
      integer(c_int64_t), intent(out) :: matrix
    end function
    integer(c_int) function c_multiply(a, x, y, copy, receipt) bind(c, name='tridap_multiply')
      import
      type(c_handle), value :: a, x, y
      integer(c_int), value :: copy
      type(c_receipt), intent(inout) :: receipt
    end function
    integer(c_int) function c_preconditioner_make(a, name, options, preconditioner) &
        bind(c, name='tridap_preconditioner_make')
      import
      type(c_handle), value :: a
      character(c_char), intent(in) :: name(*)
      type(c_preconditioner_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: preconditioner
    end function
    integer(c_int) function c_preconditioner_of(rows, order, apply, user, preconditioner) &
        bind(c, name='tridap_preconditioner_of')
      import
      type(c_handle), value :: rows
      integer(c_int), value :: order
      type(c_funptr), value :: apply
      type(c_ptr), value :: user
      integer(c_int64_t), intent(out) :: preconditioner
    end function
    integer(c_int) function c_solve(a, b, x, options, solution) bind(c, name='tridap_solve')
      import
      type(c_handle), value :: a, b, x
      type(c_solve_options), intent(in) :: options
      type(c_solution), intent(inout) :: solution
    end function
    integer(c_int) function c_trace(on) bind(c, name='tridap_trace')
      import
      integer(c_int), value :: on
    end function
    integer(c_int) function c_eigenvalues(a, m, x, options, values, residuals, solution) &
        bind(c, name='tridap_eigenvalues')
      import
      type(c_handle), value :: a, m, x
      type(c_eigen_options), intent(in) :: options
      type(c_ptr), value :: values, residuals
      type(c_eigen_solution), intent(inout) :: solution
    end function
    !> A procedure that lives until the program ends, as C's `user`.
    type(c_ptr) function c_procedure(address, count) bind(c, name='tridap_fortran_procedure')
      import
      type(c_funptr), value :: address
      integer(c_int64_t), value :: count
    end function
  end interface

contains

  integer(c_int) function apply_of_c(user, x, y) bind(c) result(status)
    type(c_ptr), value :: user, x, y
    type(program_procedure), pointer :: program
    procedure(tridap_apply), pointer :: apply
    real(c_double), pointer :: from(:), to(:)
    logical :: failed
    call c_f_pointer(user, program)
    call c_f_procpointer(program%address, apply)
    call c_f_pointer(x, from, [program%count])
    call c_f_pointer(y, to, [program%count])
    failed = .false.
    call apply(from, to, failed)
    status = flag(failed)
  end function

  integer(c_int) function watch_of_c(user, iteration, residual) bind(c) result(stops)
    type(c_ptr), value :: user
    integer(c_int), value :: iteration
    real(c_double), value :: residual
    type(program_procedure), pointer :: program
    procedure(tridap_watch_residual), pointer :: watch
    call c_f_pointer(user, program)
    call c_f_procpointer(program%address, watch)
    stops = flag(watch(int(iteration), residual))
  end function

end module
