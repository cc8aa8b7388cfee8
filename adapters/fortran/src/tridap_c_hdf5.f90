!> The C functions of files.
module tridap_c_hdf5
  use tridap_calls
  implicit none
  public

  integer, parameter :: most_axes = 32

  type, bind(c) :: c_attribute
    type(c_ptr) :: name = c_null_ptr, text = c_null_ptr, data = c_null_ptr
    integer(c_int) :: type = 0
    integer(c_int64_t) :: count = 0
  end type

  type, bind(c) :: c_xdmf_options
    integer(c_int64_t) :: axes = 0
    type(c_ptr) :: origin = c_null_ptr, spacing = c_null_ptr
    integer(c_int64_t) :: coordinate_count = 0
    type(c_ptr) :: coordinates = c_null_ptr
    integer(c_int32_t) :: cells = 0, vectors = 0, x_first = 0
  end type

  type, bind(c) :: c_save_options
    integer(c_int32_t) :: has_step = 0
    integer(c_int64_t) :: step = 0
    type(c_ptr) :: chunks = c_null_ptr
    integer(c_int64_t) :: chunk_count = 0
    integer(c_int32_t) :: compression = 0
    integer(c_int64_t) :: attribute_count = 0
    type(c_ptr) :: attributes = c_null_ptr
    integer(c_int32_t) :: has_time = 0
    real(c_double) :: time = 0
    type(c_ptr) :: xdmf = c_null_ptr
  end type

  type, bind(c) :: c_load_options
    integer(c_int32_t) :: has_step = 0
    integer(c_int64_t) :: step = 0
    integer(c_int) :: order = 1
  end type

  type, bind(c) :: c_stored
    integer(c_int) :: ndim = 0
    integer(c_int64_t) :: shape(most_axes) = 0
    integer(c_int64_t) :: steps = -1
    integer(c_int) :: type = 0
  end type

  interface
    integer(c_int) function c_save(path, count, names, arrays, options, receipt) bind(c, name='tridap_save')
      import
      character(c_char), intent(in) :: path(*)
      integer(c_int), value :: count
      type(c_ptr), intent(in) :: names(*)
      type(c_handle), intent(in) :: arrays(*)
      type(c_save_options), intent(in) :: options
      type(c_receipt), intent(inout) :: receipt
    end function
    integer(c_int) function c_xdmf(path, count, names, options) bind(c, name='tridap_xdmf')
      import
      character(c_char), intent(in) :: path(*)
      integer(c_int), value :: count
      type(c_ptr), intent(in) :: names(*)
      type(c_xdmf_options), intent(in) :: options
    end function
    integer(c_int) function c_load(path, name, comm, layout, options, array) bind(c, name='tridap_fortran_load')
      import
      character(c_char), intent(in) :: path(*), name(*)
      integer(c_int), value :: comm
      type(c_handle), value :: layout
      type(c_load_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: array
    end function
    integer(c_int) function c_load_into(path, name, array, options, receipt) bind(c, name='tridap_load_into')
      import
      character(c_char), intent(in) :: path(*), name(*)
      type(c_handle), value :: array
      type(c_load_options), intent(in) :: options
      type(c_receipt), intent(inout) :: receipt
    end function
    integer(c_int) function c_find(path, name, comm, stored, layout) bind(c, name='tridap_fortran_find')
      import
      character(c_char), intent(in) :: path(*), name(*)
      integer(c_int), value :: comm
      type(c_stored), intent(inout) :: stored
      integer(c_int64_t), intent(out) :: layout
    end function
    integer(c_int) function c_attribute_text(path, object, name, text, size, length) &
        bind(c, name='tridap_attribute_text')
      import
      character(c_char), intent(in) :: path(*), object(*), name(*)
      character(c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
      integer(c_size_t), intent(inout) :: length
    end function
    integer(c_int) function c_attribute_numbers(path, object, name, numbers, size, count) &
        bind(c, name='tridap_attribute_numbers')
      import
      character(c_char), intent(in) :: path(*), object(*), name(*)
      real(c_double), intent(inout) :: numbers(*)
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(inout) :: count
    end function
  end interface

end module
