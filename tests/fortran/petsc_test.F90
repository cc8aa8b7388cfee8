#include <petsc/finclude/petscdmda.h>
#include <petsc/finclude/petscmat.h>
#include <petscversion.h>
#if PETSC_VERSION_LT(3, 22, 0)
#define PETSC_NULL_INTEGER_ARRAY PETSC_NULL_INTEGER
#else
#define VecGetArrayF90 VecGetArray
#define VecRestoreArrayF90 VecRestoreArray
#define DMDAVecGetArrayF90 DMDAVecGetArray
#define DMDAVecRestoreArrayF90 DMDAVecRestoreArray
#endif
!> Objects of PETSc's own Fortran module, and arrays in their memory.
program petsc_test
  use petscdmda
  use petscmat
  use tridap
  use testing
  use, intrinsic :: iso_c_binding, only: c_loc, c_ptr, c_associated
  implicit none
  integer, parameter :: nx = 9, ny = 12
  PetscErrorCode :: ierr
  call begin_tests()
  call PetscInitialize(ierr)
  call a_vec_is_an_array()
  call an_array_is_a_vec()
  call a_dmda_is_a_distribution(.false.)
  call a_dmda_is_a_distribution(.true.)
  call a_mat_has_rows()
  call a_ghosted_vec_has_ghosts()
  call wrong_objects()
  call PetscFinalize(ierr)
  call end_tests()

contains

  type(tridap_kind) function kind_of_petsc() result(kind)
    PetscScalar :: element
    kind = tridap_real8
    if (storage_size(element) == 128) kind = tridap_complex8
  end function

  subroutine a_vec_is_an_array()
    Vec :: x
    type(tridap_array) :: u
    PetscScalar, pointer :: p(:)
    PetscScalar :: total, of_petsc
    integer(8) :: shift(1)
    call VecCreateMPI(PETSC_COMM_WORLD, 3 + rank, PETSC_DETERMINE, x, ierr)
    u = tridap_array_of_vec(x%v, PETSC_COMM_WORLD, shift=shift)
    call holds(shift(1) == 0, 'a Vec is not shifted')
    call u%pointer(p)
    call holds(size(p) == 3 + rank, 'the elements of this process')
    p = rank + 1
    call tridap_sum(u, total)
    call u%release()
    call VecSum(x, of_petsc, ierr)
    call holds(total == of_petsc .and. abs(of_petsc) > 0, 'PETSc sees what was written')
    u = tridap_array_of_vec(x%v, int(PETSC_COMM_WORLD, 8), read_only=.true.)
    call tridap_sum(u, total)
    call holds(total == of_petsc, 'what is only read')
    call u%release()
    call VecDestroy(x, ierr)
  end subroutine

  ! The second difference of 3 elements on each process.
  subroutine a_mat_has_rows()
    Mat :: a
    type(tridap_distribution) :: rows
    real(8), allocatable :: values(:)
    integer(8), allocatable :: columns(:), row_starts(:)
    integer :: n, i, row, stat
    character(200) :: text
    PetscScalar :: two, minus_one
    two = 2
    minus_one = -1
    n = 3*processes
    call MatCreateAIJ(PETSC_COMM_WORLD, 3, 3, n, n, 3, PETSC_NULL_INTEGER_ARRAY, 2, PETSC_NULL_INTEGER_ARRAY, a, ierr)
    do row = 3*rank, 3*rank + 2
      call MatSetValue(a, row, row, two, INSERT_VALUES, ierr)
      if (row > 0) call MatSetValue(a, row, row - 1, minus_one, INSERT_VALUES, ierr)
      if (row < n - 1) call MatSetValue(a, row, row + 1, minus_one, INSERT_VALUES, ierr)
    end do
    call MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY, ierr)
    call MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY, ierr)
    call tridap_csr_of_mat(a%v, PETSC_COMM_WORLD, rows, values, columns, row_starts, stat, text)
    if (storage_size(two) == 128) then
      call holds(stat /= 0, 'complex elements are refused')
    else
      call holds(stat == 0 .and. size(row_starts) == 4 .and. row_starts(1) == 1, text)
      do i = 1, 3
        row = 3*rank + i
        associate (of => columns(row_starts(i):row_starts(i + 1) - 1), v => values(row_starts(i):row_starts(i + 1) - 1))
          call holds(size(of) == merge(2, 3, row == 1 .or. row == n), 'the entries of a row')
          call holds(all(abs(of - row) <= 1), 'columns from 1')
          call holds(all(v == merge(2, -1, of == row)), 'their values')
        end associate
      end do
    end if
    if (stat == 0) call a_mat_comes_of_rows(rows, values, columns, row_starts)
    call rows%release()
    call MatDestroy(a, ierr)
    call tridap_csr_of_mat(a%v, PETSC_COMM_WORLD, rows, values, columns, row_starts, stat, text)
    call holds(stat /= 0 .and. size(values) == 0 .and. size(row_starts) == 1, 'a Mat that was destroyed is refused')
    call rows%release()
  end subroutine

  ! A Mat of the rows of another one, which are numbered from 1: its rows have the sums 0, but at both ends.
  subroutine a_mat_comes_of_rows(rows, values, columns, row_starts)
    type(tridap_distribution), intent(in) :: rows
    real(8), intent(in) :: values(:)
    integer(8), intent(in) :: columns(:), row_starts(:)
    Mat :: a
    Vec :: sums
    PetscScalar, pointer :: p(:)
    type(tridap_receipt) :: receipt
    integer :: row, i, stat, expected
    character(200) :: text
    a%v = tridap_mat_of_csr(rows, values, int(columns, 4), row_starts, receipt=receipt)
    call holds(receipt%bytes_copied > 0, 'the entries are copied')
    call MatCreateVecs(a, PETSC_NULL_VEC, sums, ierr)
    call MatGetRowSum(a, sums, ierr)
    call VecGetArrayF90(sums, p, ierr)
    call holds(size(p) == 3, 'the rows of a process')
    do i = 1, 3
      row = 3*rank + i
      expected = merge(1, 0, row == 1) + merge(1, 0, row == 3*processes)
      call holds(abs(p(i) - expected) < 1e-12, 'the sum of a row')
    end do
    call VecRestoreArrayF90(sums, p, ierr)
    call VecDestroy(sums, ierr)
    call MatDestroy(a, ierr)
    a%v = tridap_mat_of_csr(rows, values(2:), columns, row_starts, stat=stat, errmsg=text)
    call holds(stat /= 0 .and. index(text, 'columns has') > 0, text)
  end subroutine

  ! 3 elements on each process; with several processes, the first of the next one is a ghost.
  subroutine a_ghosted_vec_has_ghosts()
    Vec :: x, again
    type(tridap_ghosts) :: ghosts
    type(tridap_receipt) :: receipt
    PetscInt :: ids(1)
    PetscScalar, pointer :: p(:)
    Vec :: local
    if (processes == 1) return
    ids = modulo(3*rank + 3, 3*processes)
    call VecCreateGhost(PETSC_COMM_WORLD, 3, PETSC_DETERMINE, 1, ids, x, ierr)
    call VecGhostGetLocalForm(x, local, ierr)
    call VecGetArrayF90(local, p, ierr)
    p(:3) = [3*rank, 3*rank + 1, 3*rank + 2]
    p(4) = -1
    ghosts = tridap_ghosts_of_vec(x%v, PETSC_COMM_WORLD)
    call ghosts%update()
    call holds(p(4) == ids(1), 'a ghost has the value of its element')
    again%v = tridap_vec_of_ghosts(ghosts, receipt)
    call holds(receipt%bytes_copied == 0, 'the memory is shared')
    call VecDestroy(again, ierr)
    call ghosts%release()
    call VecRestoreArrayF90(local, p, ierr)
    call VecGhostRestoreLocalForm(x, local, ierr)
    call VecDestroy(x, ierr)
  end subroutine

  subroutine an_array_is_a_vec()
    type(tridap_distribution) :: layout, padded
    type(tridap_array) :: u
    type(tridap_receipt) :: receipt
    type(c_ptr) :: of_field, of_vec
    PetscScalar, allocatable, target :: field(:, :), wide(:, :)
    PetscScalar, pointer :: p(:)
    PetscScalar :: total, of_petsc
    Vec :: x
    integer :: n(2)
    layout = tridap_distribute([nx, ny], 'b,b', PETSC_COMM_WORLD)
    n = int(layout%local_shape())
    allocate(field(n(1), n(2)))
    field = rank + 1
    u = tridap_array_of(field, layout)
    x%v = tridap_vec_of_array(u, receipt=receipt)
    call holds(receipt%bytes_copied == 0 .and. receipt%shared, 'a Vec over the memory of the program')
    call VecGetArrayF90(x, p, ierr)
    if (size(field) > 0) then
      of_field = c_loc(field)
      of_vec = c_loc(p)
      call holds(c_associated(of_field, of_vec), 'the same memory')
      p(1) = 7
    end if
    call VecRestoreArrayF90(x, p, ierr)
    if (size(field) > 0) call holds(field(1, 1) == 7, 'the program sees what PETSc writes')
    call tridap_sum(u, total)
    call VecSum(x, of_petsc, ierr)
    call holds(total == of_petsc, 'the sum')
    call VecDestroy(x, ierr)
    call u%release()
    padded = tridap_distribute([nx, ny], 'b,b', PETSC_COMM_WORLD, padding=1)
    n = int(padded%local_shape())
    allocate(wide(n(1), n(2)))
    wide = 1
    u = tridap_array_of(wide, padded)
    x%v = tridap_vec_of_array(u, copy='if_needed', receipt=receipt)
    call VecSum(x, of_petsc, ierr)
    call holds(of_petsc == nx*ny, 'a copy has each element once')
    if (processes > 1) call holds(receipt%bytes_copied > 0 .or. size(wide) == 0, 'the receipt counts the copy')
    call VecDestroy(x, ierr)
    call u%release()
    call layout%release()
    call padded%release()
  end subroutine

  !> With ghosts: its local Vecs, one point wider at each side, also at the outer edges.
  subroutine a_dmda_is_a_distribution(ghosts)
    logical, intent(in) :: ghosts
    DM :: grid, again
    Vec :: x, y
    type(tridap_distribution) :: layout, back
    type(tridap_array) :: u
    PetscScalar, pointer :: of_petsc(:, :), p(:, :)
    PetscInt :: i, j, x0, y0, m, n, width
    integer(8) :: shift(2), global(2), local(2)
    width = merge(1, 0, ghosts)
    call DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_GHOSTED, DM_BOUNDARY_GHOSTED, DMDA_STENCIL_BOX, nx, ny, &
        PETSC_DECIDE, PETSC_DECIDE, 1, 1, PETSC_NULL_INTEGER_ARRAY, PETSC_NULL_INTEGER_ARRAY, grid, ierr)
    call DMSetUp(grid, ierr)
    layout = tridap_distribution_of_dmda(grid%v, PETSC_COMM_WORLD, ghosts=ghosts)
    call holds(all(layout%shape() == [ny, nx] + 2*width), 'the shape, y before x')
    if (ghosts) then
      call DMDAGetGhostCorners(grid, x0, y0, PETSC_NULL_INTEGER, m, n, PETSC_NULL_INTEGER, ierr)
      call DMCreateLocalVector(grid, x, ierr)
    else
      call DMDAGetCorners(grid, x0, y0, PETSC_NULL_INTEGER, m, n, PETSC_NULL_INTEGER, ierr)
      call DMCreateGlobalVector(grid, x, ierr)
    end if
    call holds(all(layout%local_shape() == [n, m]), 'the part of this process')
    call DMDAVecGetArrayF90(grid, x, of_petsc, ierr)
    do j = y0, y0 + n - 1
      do i = x0, x0 + m - 1
        of_petsc(i, j) = 100*i + j
      end do
    end do
    call DMDAVecRestoreArrayF90(grid, x, of_petsc, ierr)
    u = tridap_array_of_vec(x%v, PETSC_COMM_WORLD, dm=grid%v, shift=shift)
    call holds(all(shift == width), 'global indices are larger by the width of the edge')
    call u%pointer(p)
    do j = 1, n
      do i = 1, m
        local = [j, i]
        call layout%global_index(local, global)
        call holds(p(j, i) == 100*(global(2) - 1 - shift(2)) + global(1) - 1 - shift(1), 'x(i, j) is p(j, i)')
      end do
    end do
    call u%release()
    again%v = tridap_dmda_of(layout)
    back = tridap_distribution_of_dmda(again%v, PETSC_COMM_WORLD, ghosts=ghosts)
    call holds(back%equals(layout), 'a DMDA of the distribution')
    u = tridap_allocate(layout, kind_of_petsc(), row_major=.true.)
    y%v = tridap_vec_of_array(u, dm=again%v)
    call u%pointer(p)
    p = rank
    call DMDAVecGetArrayF90(again, y, of_petsc, ierr)
    call holds(all(of_petsc == rank), 'a Vec of it over the memory of an array')
    call DMDAVecRestoreArrayF90(again, y, of_petsc, ierr)
    call VecDestroy(y, ierr)
    call u%release()
    call layout%release()
    call back%release()
    call VecDestroy(x, ierr)
    call DMDestroy(again, ierr)
    call DMDestroy(grid, ierr)
  end subroutine

  subroutine wrong_objects()
    type(tridap_distribution) :: layout, made, no_layout, never_made_layout
    type(tridap_array) :: u, none, no_array, never_made
    Vec :: x, no_vec
    DM :: grid, no_dm
    integer(8) :: object, shift(0)
    integer :: stat
    character(400) :: text
    logical :: wrong
    wrong = rank == processes - 1
    layout = tridap_distribute([nx, ny], 'b,b', PETSC_COMM_WORLD)
    none = tridap_array_of_vec(no_vec%v, PETSC_COMM_WORLD, stat=stat, errmsg=text)
    call says(stat, text, 'vec%v is that of no Vec')
    call none%release()
    call VecCreateMPI(PETSC_COMM_WORLD, 3, PETSC_DETERMINE, x, ierr)
    none = tridap_array_of_vec(x%v, PETSC_COMM_WORLD, dm=no_dm%v, stat=stat, errmsg=text)
    call says(stat, text, 'dm%v is that of no DM')
    call none%release()
    none = tridap_array_of_vec(x%v, PETSC_COMM_WORLD, shift=shift, stat=stat, errmsg=text)
    call says(stat, text, 'shift has 0 elements, must have at least 1')
    call none%release()
    if (processes > 1) then
      none = tridap_array_of_vec(x%v, PETSC_COMM_SELF, stat=stat, errmsg=text)
      call says(stat, text, 'has other processes than the Vec')
      call none%release()
    end if
    call VecDestroy(x, ierr)
    ! One wrong process fails each collective call on all.
    u = tridap_allocate(layout, kind_of_petsc())
    no_array = u
    if (wrong) no_array = never_made
    object = tridap_vec_of_array(no_array, stat=stat, errmsg=text)
    call says(stat, text, 'tridap_array has the number 0')
    call holds(object == 0, 'no Vec is made')
    object = tridap_vec_of_array(u, copy=merge('perhaps  ', 'if_needed', wrong), stat=stat, errmsg=text)
    call says(stat, text, 'copy')
    grid%v = tridap_dmda_of(layout)
    if (wrong) call DMDestroy(grid, ierr)  ! which frees this process's part alone
    object = tridap_vec_of_array(u, dm=grid%v, stat=stat, errmsg=text)
    call says(stat, text, 'dm%v is that of no DM')
    made = tridap_distribution_of_dmda(grid%v, PETSC_COMM_WORLD, stat=stat, errmsg=text)
    call says(stat, text, 'dm%v is that of no DM')
    call made%release()
    no_layout = layout
    if (wrong) no_layout = never_made_layout
    object = tridap_dmda_of(no_layout, stat=stat, errmsg=text)
    call says(stat, text, 'tridap_distribution has the number 0')
    object = tridap_dmda_of(layout, stencil_width=-1, stat=stat, errmsg=text)
    call holds(stat /= 0, 'a negative stencil width is refused')
    if (.not. wrong) call DMDestroy(grid, ierr)
    call u%release()
    call layout%release()
    call holds(tridap_held() == 0, 'nothing is held')
  end subroutine
end program
