refuse <- function(...) stop(..., call. = FALSE)
extents_of <- function(x) if (is.null(dim(x))) length(x) else dim(x)
shape_of <- function(x) paste(extents_of(x), collapse = " x ")

# What gives the numbers of an object. as.numeric of a factor gives codes, and of an integer64 beyond 2^53 rounded values.
cure <- function(x) {
  if (is.factor(x)) "a factor has codes; for values that its levels spell, give as.numeric(as.character(x))"
  else if (is.data.frame(x)) "give a column, or as.matrix(x) of columns of numbers"
  else if (inherits(x, "integer64")) "give as.numeric(x) if all values are within 2^53"
  else "give its numbers, such as as.numeric(x)"
}

# Missing values are NaN to the library: NA of integers and logicals becomes one, and every int equals a double.
numbers <- function(x, name) {
  if (is.object(x)) refuse(name, ": an object of class ", class(x)[1], "; ", cure(x))
  if (!is.numeric(x) && !is.logical(x)) refuse(name, ": type ", typeof(x), "; give numbers or logicals")
  if (!is.double(x) && anyNA(x)) storage.mode(x) <- "double"
  x
}

same_shape <- function(other, name, x) {
  if (!identical(as.double(extents_of(other)), as.double(extents_of(x))))
    refuse(name, ": its shape is ", shape_of(other), ", and that of x ", shape_of(x))
}

mask <- function(where, x) {
  if (is.null(where)) return(NULL)
  if (!is.logical(where) || anyNA(where)) refuse("where: give logicals without NA")
  same_shape(where, "where", x)
  where
}

pair <- function(x, y) {
  x <- numbers(x, "x")
  if (is.null(y)) return(list(x, NULL))
  y <- numbers(y, "y")
  same_shape(y, "y", x)
  if (is.double(x)) storage.mode(y) <- "double"
  if (is.double(y)) storage.mode(x) <- "double"
  list(x, y)
}

# The names of ops, one an element; "sum,mean" names two.
names_of <- function(op) {
  if (!is.character(op) || length(op) == 0 || anyNA(op)) refuse("op: give names of ops, such as \"sum\"")
  # strsplit leaves out what is empty behind the last comma.
  names <- strsplit(paste0(paste(op, collapse = ","), ","), ",", fixed = TRUE)[[1]]
  if (any(names == "")) refuse("op: give names of ops, such as \"sum\"; one is empty")
  names
}
one_name <- function(op) {
  names <- names_of(op)
  if (length(names) > 1) refuse("op: give one name; there are ", length(names))
  names
}

nan_policy <- function(na.rm) {
  if (!isTRUE(na.rm) && !isFALSE(na.rm)) refuse("na.rm: give TRUE or FALSE")
  if (na.rm) 1L else 0L
}
whole <- function(x) is.numeric(x) && !anyNA(x) && all(x == floor(x))
# A double's very value.
ddof_text <- function(ddof) {
  if (!is.numeric(ddof) || length(ddof) != 1 || !is.finite(ddof)) refuse("ddof: give one number")
  sprintf("%a", as.double(ddof))
}

as_answers <- function(values, op) {
  if (op %in% c("any", "all")) storage.mode(values) <- "logical"
  values
}

fold <- function(op, x, y = NULL, margin = NULL, where = NULL, na.rm = FALSE, ddof = 0) {
  xy <- pair(x, y)
  op <- names_of(op)
  extents <- extents_of(x)
  if (!is.null(margin) && (!whole(margin) || is.unsorted(margin, strictly = TRUE) || any(margin < 1) ||
                           any(margin > length(extents))))
    refuse("margin: give dimensions to keep, in ascending order, of 1 to ", length(extents))
  folded <- setdiff(seq_along(extents), margin)
  values <- .Call(onefold_r_fold, op, xy[[1]], xy[[2]], as.double(extents), as.integer(folded), mask(where, x),
                  nan_policy(na.rm), ddof_text(ddof))
  kept <- extents[margin]
  values <- Map(function(v, name) {
    v <- as_answers(v, name)
    if (length(kept) > 1) dim(v) <- kept
    v
  }, values, op)
  if (length(op) == 1) return(values[[1]])
  names(values) <- op
  if (length(kept) == 0 && all(vapply(values, is.double, TRUE))) unlist(values) else values
}

gather <- function(op, x, y = NULL, where = NULL, na.rm = FALSE, first = 1) {
  xy <- pair(x, y)
  if (!whole(first) || length(first) != 1 || first < 1 || first > 2^53) refuse("first: give the index of the first element, 1 or more")
  # Parts of whole data have one type, whether they have missing values or not.
  xy <- lapply(xy, function(v) { if (!is.null(v)) storage.mode(v) <- "double"; v })
  .Call(onefold_r_gather, paste(names_of(op), collapse = ","), xy[[1]], xy[[2]], as.double(length(x)), mask(where, x),
        nan_policy(na.rm), as.double(first))
}

answer <- function(state, op, ddof = 0) {
  op <- one_name(op)
  as_answers(.Call(onefold_r_answer, state, op, ddof_text(ddof)), op)
}
merge_states <- function(...) .Call(onefold_r_merge, list(...))
save_state <- function(state) .Call(onefold_r_save, state)
load_state <- function(bytes) .Call(onefold_r_load, bytes)
digest <- function(state) .Call(onefold_r_digest, state)
print.onefold_state <- function(x, ...) {
  elements <- .Call(onefold_r_count, x)
  cat("a state of", format(elements, scientific = FALSE), "elements\n")
  invisible(x)
}
