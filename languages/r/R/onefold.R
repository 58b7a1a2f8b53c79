# Missing values are NaN to the library: NA of integers and logicals becomes one, and every int equals a double.
numbers <- function(x, name) {
  if (is.object(x)) stop(name, ": an object of class ", class(x)[1], "; give its numbers, as by as.numeric", call. = FALSE)
  if (!is.numeric(x) && !is.logical(x)) stop(name, ": type ", typeof(x), "; give numbers or logicals", call. = FALSE)
  if (!is.double(x) && anyNA(x)) storage.mode(x) <- "double"
  x
}

mask <- function(where) {
  if (is.null(where)) return(NULL)
  if (!is.logical(where) || anyNA(where)) stop("where: give logicals without NA", call. = FALSE)
  where
}

pair <- function(x, y) {
  x <- numbers(x, "x")
  if (is.null(y)) return(list(x, NULL))
  y <- numbers(y, "y")
  if (!identical(dim(x), dim(y)) || length(x) != length(y)) stop("x and y differ in shape", call. = FALSE)
  if (is.double(x)) storage.mode(y) <- "double"
  if (is.double(y)) storage.mode(x) <- "double"
  list(x, y)
}

words <- function(op) paste(op, collapse = ",")
nan_policy <- function(na.rm) if (isTRUE(na.rm)) 1L else 0L
ddof_text <- function(ddof) format(ddof, digits = 17)

as_answers <- function(values, op) {
  if (op %in% c("any", "all")) storage.mode(values) <- "logical"
  values
}

fold <- function(op, x, y = NULL, margin = NULL, where = NULL, na.rm = FALSE, ddof = 0) {
  xy <- pair(x, y)
  extents <- if (is.null(dim(x))) length(x) else dim(x)
  if (is.unsorted(margin, strictly = TRUE) || any(margin < 1) || any(margin > length(extents)))
    stop("margin: give dimensions to keep, in ascending order, of 1 to ", length(extents), call. = FALSE)
  op <- strsplit(words(op), ",", fixed = TRUE)[[1]]
  folded <- setdiff(seq_along(extents), margin)
  values <- .Call(onefold_r_fold, op, xy[[1]], xy[[2]], as.double(extents), as.integer(folded), mask(where),
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

gather <- function(op, x, y = NULL, where = NULL, na.rm = FALSE) {
  xy <- pair(x, y)
  # Parts of whole data have one type, whether they have missing values or not.
  xy <- lapply(xy, function(v) { if (!is.null(v)) storage.mode(v) <- "double"; v })
  .Call(onefold_r_gather, words(op), xy[[1]], xy[[2]], as.double(length(x)), mask(where), nan_policy(na.rm))
}

answer <- function(state, op, ddof = 0) as_answers(.Call(onefold_r_answer, state, op, ddof_text(ddof)), op)
merge_states <- function(...) .Call(onefold_r_merge, list(...))
save_state <- function(state) .Call(onefold_r_save, state)
load_state <- function(bytes) .Call(onefold_r_load, bytes)
digest <- function(state) .Call(onefold_r_digest, state)
print.onefold_state <- function(x, ...) {
  cat("a state of", format(.Call(onefold_r_count, x), scientific = FALSE), "elements\n")
  invisible(x)
}
