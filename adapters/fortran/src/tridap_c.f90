!> The functions of tridap/tridap.h and of tridap_fortran.c, for module tridap. Programs do not use this module.
module tridap_c
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use mpi_f08, only: MPI_Comm
  implicit none
  public

  !> The number of a handle.
  type, bind(c) :: c_handle
    integer(c_int64_t) :: number = 0
  end type

  !> A list of the program. count -1: it is not there.
  type, bind(c) :: list
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: count = -1
  end type

  type, bind(c) :: c_move_options
    integer(c_int) :: order = 1  ! column-major, as memory of Fortran
    integer(c_int32_t) :: convert = 0, fill_padding = 0, partial = 0
    type(c_ptr) :: axes = c_null_ptr
    integer(c_int) :: type = 0
  end type

  type, bind(c) :: c_receipt
    integer(c_int32_t) :: shared = 0, same_address = 0
    integer(c_int64_t) :: bytes_copied = 0, bytes_synchronized = 0
    real(c_double) :: seconds = 0
    character(c_char) :: text(960) = c_null_char
  end type

  type, bind(c) :: c_scaling
    real(c_double) :: alpha(2) = [1, 0], beta(2) = 0
  end type

  !> This process's rows of a matrix.
  type, bind(c) :: c_csr
    integer(c_int64_t) :: row_count = 0, entry_count = 0
    type(c_ptr) :: values = c_null_ptr, columns = c_null_ptr, row_starts = c_null_ptr
    integer(c_int32_t) :: column_bytes = 0, row_start_bytes = 0
    integer(c_int64_t) :: index_base = 1
    integer(c_int) :: order = 1
  end type

  integer(c_int64_t), parameter :: c_here = -1
  integer(c_int), parameter :: c_shape = 0, c_grid = 1, c_coordinates = 2, c_local_shape = 3
  integer(c_int), parameter :: c_dist_text = 0, c_description = 1, c_dim_data = 2, c_explanation = 3
  integer(c_int), parameter :: c_sum = 0, c_max = 1, c_min = 2, c_dot = 3
  integer(c_int), parameter :: c_no_handle = 0, c_distribution_handle = 1, c_array_handle = 2, c_plan_handle = 3, &
      c_matrix_handle = 6

  ! ---- Failures and handles --------------------
  interface
    subroutine c_stop() bind(c, name='tridap_fortran_stop')
    end subroutine
    type(c_ptr) function c_message() bind(c, name='tridap_message_in_fortran')
      import
    end function
    type(c_ptr) function c_version() bind(c, name='tridap_version')
      import
    end function
    subroutine c_print_messages(printed) bind(c, name='tridap_fortran_print_messages')
      import
      integer(c_int), value :: printed
    end subroutine
    integer(c_int) function c_refuse(value, must, remedy, type, comm, of, number) bind(c, name='tridap_refuse')
      import
      character(c_char), intent(in) :: value(*), must(*), remedy(*)
      integer(c_int), value :: type
      type(c_ptr), value :: comm
      integer(c_int64_t), value :: of
      integer(c_int64_t), intent(out), optional :: number
    end function
    integer(c_int) function c_release(number) bind(c, name='tridap_fortran_release')
      import
      integer(c_int64_t), value :: number
    end function
    integer(c_int64_t) function c_held() bind(c, name='tridap_held')
      import
    end function
    integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import
      type(c_ptr), value :: text
    end function
  end interface

  ! ---- Distributions --------------------
  interface
    integer(c_int) function c_distribute(shape, dist, comm, grid, padding, paddings, periodic, inner_only, layout) &
        bind(c, name='tridap_fortran_distribute')
      import
      type(list), value :: shape, grid, paddings, periodic
      character(c_char), intent(in) :: dist(*)
      integer(c_int), value :: comm, inner_only
      integer(c_int64_t), value :: padding
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_of_lists(indices, comm, layout) bind(c, name='tridap_fortran_of_lists')
      import
      type(list), value :: indices
      integer(c_int), value :: comm
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_of_desc(desc, nprow, npcol, by_columns, comm, layout) &
        bind(c, name='tridap_fortran_of_desc')
      import
      integer(c_int), intent(in) :: desc(9)
      integer(c_int), value :: nprow, npcol, by_columns, comm
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_of_cart(shape, width, cart, layout) bind(c, name='tridap_fortran_of_cart')
      import
      type(list), value :: shape
      integer(c_int64_t), value :: width
      integer(c_int), value :: cart
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_of_hpf(shape, distribute, grid, comm, layout) bind(c, name='tridap_fortran_of_hpf')
      import
      type(list), value :: shape, grid
      character(c_char), intent(in) :: distribute(*)
      integer(c_int), value :: comm
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_of_chapel(shape, dist, fluff, comm, layout) bind(c, name='tridap_fortran_of_chapel')
      import
      type(list), value :: shape
      character(c_char), intent(in) :: dist(*)
      integer(c_int64_t), value :: fluff
      integer(c_int), value :: comm
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_interior_of(of, interior) bind(c, name='tridap_interior_of')
      import
      type(c_handle), value :: of
      integer(c_int64_t), intent(out) :: interior
    end function
    integer(c_int) function c_list(which, layout, process, answer) bind(c, name='tridap_fortran_list')
      import
      integer(c_int), value :: which
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process
      integer(c_int64_t), intent(out) :: answer(*)
    end function
    integer(c_int) function c_text(which, number, process, text, size, length) bind(c, name='tridap_fortran_text')
      import
      integer(c_int), value :: which
      integer(c_int64_t), value :: number, process
      character(c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
      integer(c_size_t), intent(inout) :: length
    end function
    integer(c_int) function c_ndim(layout, ndim) bind(c, name='tridap_ndim')
      import
      type(c_handle), value :: layout
      integer(c_int), intent(out) :: ndim
    end function
    integer(c_int) function c_processes(layout, processes) bind(c, name='tridap_processes')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), intent(out) :: processes
    end function
    integer(c_int) function c_count(layout, process, part, count) bind(c, name='tridap_count')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process
      integer(c_int), value :: part
      integer(c_int64_t), intent(out) :: count
    end function
    integer(c_int) function c_bounds(layout, process, part, begin, end) bind(c, name='tridap_bounds')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process
      integer(c_int), value :: part
      integer(c_int64_t), intent(out) :: begin(*), end(*)
    end function
    integer(c_int) function c_owner(layout, global, process) bind(c, name='tridap_owner')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), intent(in) :: global(*)
      integer(c_int64_t), intent(out) :: process
    end function
    integer(c_int) function c_local_index(layout, process, global, part, local, held) bind(c, name='tridap_local_index')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process
      integer(c_int64_t), intent(in) :: global(*)
      integer(c_int), value :: part
      integer(c_int64_t), intent(out) :: local(*)
      integer(c_int), intent(out) :: held
    end function
    integer(c_int) function c_global_index(layout, process, local, global) bind(c, name='tridap_global_index')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process
      integer(c_int64_t), intent(in) :: local(*)
      integer(c_int64_t), intent(out) :: global(*)
    end function
    integer(c_int) function c_owner_from_1(layout, count, global, process) bind(c, name='tridap_owner_from_1')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: global(*)
      integer(c_int64_t), intent(out) :: process
    end function
    integer(c_int) function c_local_index_from_1(layout, process, count, global, part, local, held) &
        bind(c, name='tridap_local_index_from_1')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process, count
      integer(c_int64_t), intent(in) :: global(*)
      integer(c_int), value :: part
      integer(c_int64_t), intent(out) :: local(*)
      integer(c_int), intent(out) :: held
    end function
    integer(c_int) function c_global_index_from_1(layout, process, count, local, global) &
        bind(c, name='tridap_global_index_from_1')
      import
      type(c_handle), value :: layout
      integer(c_int64_t), value :: process, count
      integer(c_int64_t), intent(in) :: local(*)
      integer(c_int64_t), intent(out) :: global(*)
    end function
    integer(c_int) function c_equal(a, b, equal) bind(c, name='tridap_equal')
      import
      type(c_handle), value :: a, b
      integer(c_int), intent(out) :: equal
    end function
  end interface

  ! ---- Arrays --------------------
  interface
    integer(c_int) function c_array_of(layout, memory, read_only, device, stream, array) &
        bind(c, name='tridap_fortran_array_of')
      import
      type(c_handle), value :: layout
      type(*), dimension(..), intent(in), target :: memory
      integer(c_int), value :: read_only
      character(c_char), intent(in), optional :: device(*)
      type(c_ptr), value :: stream
      integer(c_int64_t), intent(out) :: array
    end function
    integer(c_int) function c_allocate(layout, type, order, array) bind(c, name='tridap_allocate')
      import
      type(c_handle), value :: layout
      integer(c_int), value :: type, order
      integer(c_int64_t), intent(out) :: array
    end function
    integer(c_int) function c_distribution_of(array, layout) bind(c, name='tridap_distribution_of')
      import
      type(c_handle), value :: array
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_array_ndim(array, ndim) bind(c, name='tridap_fortran_ndim')
      import
      type(c_handle), value :: array
      integer(c_int), intent(out) :: ndim
    end function
    integer(c_int) function c_real_kind(array) bind(c, name='tridap_fortran_real_kind')
      import
      type(c_handle), value :: array
    end function
    integer(c_int) function c_interior(array, begin, end) bind(c, name='tridap_interior')
      import
      type(c_handle), value :: array
      integer(c_int64_t), intent(out) :: begin(*), end(*)
    end function
    type(c_ptr) function c_address(array, status) bind(c, name='tridap_fortran_address')
      import
      type(c_handle), value :: array
      integer(c_int), intent(out) :: status
    end function
  end interface

  ! ---- Moves --------------------
  interface
    integer(c_int) function c_redistribute(source, to, options, target) bind(c, name='tridap_redistribute')
      import
      type(c_handle), value :: source, to
      type(c_move_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: target
    end function
    integer(c_int) function c_redistribute_into(source, target, options, scaling) &
        bind(c, name='tridap_redistribute_into')
      import
      type(c_handle), value :: source, target
      type(c_move_options), intent(in) :: options
      type(c_scaling), intent(in) :: scaling
    end function
    integer(c_int) function c_plan_make(from, to, type, options, plan) bind(c, name='tridap_plan_make')
      import
      type(c_handle), value :: from, to
      integer(c_int), value :: type
      type(c_move_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: plan
    end function
    integer(c_int) function c_plan_move(plan, source, target, scaling) bind(c, name='tridap_plan_move')
      import
      type(c_handle), value :: plan, source, target
      type(c_scaling), intent(in) :: scaling
    end function
    integer(c_int) function c_plan_new(plan, source, target) bind(c, name='tridap_plan_new')
      import
      type(c_handle), value :: plan, source
      integer(c_int64_t), intent(out) :: target
    end function
    integer(c_int) function c_plan_move_all(plan, count, sources, targets, scaling) bind(c, name='tridap_plan_move_all')
      import
      type(c_handle), value :: plan
      integer(c_int), value :: count
      type(c_handle), intent(in) :: sources(*), targets(*)
      type(c_scaling), intent(in) :: scaling
    end function
    integer(c_int) function c_plan_start(plan, source, target, scaling) bind(c, name='tridap_plan_start')
      import
      type(c_handle), value :: plan, source, target
      type(c_scaling), intent(in) :: scaling
    end function
    integer(c_int) function c_plan_test(plan, done) bind(c, name='tridap_plan_test')
      import
      type(c_handle), value :: plan
      integer(c_int), intent(out) :: done
    end function
    integer(c_int) function c_plan_wait(plan) bind(c, name='tridap_plan_wait')
      import
      type(c_handle), value :: plan
    end function
    integer(c_int) function c_plan_reversed(plan, back) bind(c, name='tridap_plan_reversed')
      import
      type(c_handle), value :: plan
      integer(c_int64_t), intent(out) :: back
    end function
    integer(c_int) function c_plan_bytes(plan, sent, received, kept) bind(c, name='tridap_plan_bytes')
      import
      type(c_handle), value :: plan
      integer(c_int64_t), intent(out) :: sent, received, kept
    end function
  end interface

  ! ---- Padding and ghosts --------------------
  interface
    integer(c_int) function c_update_paddings(count, arrays) bind(c, name='tridap_update_paddings')
      import
      integer(c_int), value :: count
      type(c_handle), intent(in) :: arrays(*)
    end function
    integer(c_int) function c_sum_paddings(count, arrays) bind(c, name='tridap_sum_paddings')
      import
      integer(c_int), value :: count
      type(c_handle), intent(in) :: arrays(*)
    end function
    integer(c_int) function c_update_padding(array) bind(c, name='tridap_update_padding')
      import
      type(c_handle), value :: array
    end function
    integer(c_int) function c_sum_padding(array) bind(c, name='tridap_sum_padding')
      import
      type(c_handle), value :: array
    end function
    integer(c_int) function c_padding_make(count, arrays, sum, padding) bind(c, name='tridap_padding_make')
      import
      integer(c_int), value :: count, sum
      type(c_handle), intent(in) :: arrays(*)
      integer(c_int64_t), intent(out) :: padding
    end function
    integer(c_int) function c_padding_start(padding) bind(c, name='tridap_padding_start')
      import
      type(c_handle), value :: padding
    end function
    integer(c_int) function c_padding_wait(padding) bind(c, name='tridap_padding_wait')
      import
      type(c_handle), value :: padding
    end function
    integer(c_int) function c_ghosts(layout, memory, ids, ghosts) bind(c, name='tridap_fortran_ghosts')
      import
      type(c_handle), value :: layout
      type(*), dimension(..), intent(inout), target :: memory
      type(list), value :: ids
      integer(c_int64_t), intent(out) :: ghosts
    end function
    integer(c_int) function c_ghosts_start(ghosts, sum) bind(c, name='tridap_ghosts_start')
      import
      type(c_handle), value :: ghosts
      integer(c_int), value :: sum
    end function
    integer(c_int) function c_ghosts_wait(ghosts) bind(c, name='tridap_ghosts_wait')
      import
      type(c_handle), value :: ghosts
    end function
    integer(c_int) function c_update_ghosts(ghosts) bind(c, name='tridap_update_ghosts')
      import
      type(c_handle), value :: ghosts
    end function
    integer(c_int) function c_sum_ghosts(ghosts) bind(c, name='tridap_sum_ghosts')
      import
      type(c_handle), value :: ghosts
    end function
  end interface

  ! ---- Gather, scatter, reductions, checks, watching --------------------
  interface
    integer(c_int) function c_gather(array, root, whole) bind(c, name='tridap_gather')
      import
      type(c_handle), value :: array
      integer(c_int), value :: root
      integer(c_int64_t), intent(out) :: whole
    end function
    integer(c_int) function c_allgather(array, whole) bind(c, name='tridap_allgather')
      import
      type(c_handle), value :: array
      integer(c_int64_t), intent(out) :: whole
    end function
    integer(c_int) function c_gather_into(array, root, whole) bind(c, name='tridap_fortran_gather_into')
      import
      type(c_handle), value :: array
      integer(c_int), value :: root
      type(*), dimension(..), intent(inout), target :: whole
    end function
    integer(c_int) function c_scatter(whole, root, array) bind(c, name='tridap_fortran_scatter')
      import
      type(*), dimension(..), intent(in), target :: whole
      integer(c_int), value :: root
      type(c_handle), value :: array
    end function
    integer(c_int) function c_reduce(which, a, b, result) bind(c, name='tridap_fortran_reduce')
      import
      integer(c_int), value :: which
      type(c_handle), value :: a, b
      type(*), dimension(..), intent(inout), target :: result
    end function
    integer(c_int) function c_norm(array, norm) bind(c, name='tridap_norm')
      import
      type(c_handle), value :: array
      real(c_double), intent(out) :: norm
    end function
    integer(c_int) function c_write_capture(array, path) bind(c, name='tridap_write_capture')
      import
      type(c_handle), value :: array
      character(c_char), intent(in) :: path(*)
    end function
    integer(c_int) function c_of_dim_data(dim_data, comm, layout) bind(c, name='tridap_fortran_of_dim_data')
      import
      character(c_char), intent(in) :: dim_data(*)
      integer(c_int), value :: comm
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_from_dap(dap, comm, array) bind(c, name='tridap_fortran_from_dap')
      import
      type(c_ptr), value :: dap
      integer(c_int), value :: comm
      integer(c_int64_t), intent(out) :: array
    end function
    integer(c_int) function c_to_dap(array, dap) bind(c, name='tridap_array_to_dap')
      import
      type(c_handle), value :: array
      type(c_ptr), intent(inout) :: dap
    end function
    subroutine c_dap_release(dap) bind(c, name='tridap_fortran_dap_release')
      import
      type(c_ptr), value :: dap
    end subroutine
    integer(c_int) function c_check(dap, comm, errors) bind(c, name='tridap_fortran_check')
      import
      type(c_ptr), value :: dap
      integer(c_int), value :: comm
      integer(c_int64_t), intent(inout) :: errors
    end function
    integer(c_int) function c_check_capture(path, errors, text, size, length) bind(c, name='tridap_check_capture')
      import
      character(c_char), intent(in) :: path(*)
      integer(c_int64_t), intent(inout) :: errors
      type(c_ptr), value :: text, length
      integer(c_size_t), value :: size
    end function
    type(c_ptr) function c_checked() bind(c, name='tridap_checked_in_fortran')
      import
    end function
    integer(c_int) function c_watch(seconds, comm) bind(c, name='tridap_fortran_watch')
      import
      real(c_double), value :: seconds
      integer(c_int), value :: comm
    end function
  end interface

end module
