"""
Exact folds for Julia, on the library for C (`libonefold.so.1`).

    include("Onefold.jl"); using .Onefold
    fold("sum", [1e16, 1.0, -1e16])         # 1.0
    fold("mean", rand(3, 4); dims = 1)      # 1×4 Matrix, as of sum(x; dims = 1)
    merge!(gather("mean", x), gather("mean", y)) |> s -> answer(s, "mean")

Arrays are strided ones of Bool, Int8 to Int64, UInt8 to UInt64, Float16, Float32 and Float64; views are
read where they stand. An answer is the exact value, rounded once to Float64; indices count from 1, in
Julia's order of elements. Errors are `OnefoldError`s with the code and the message of the library.
"""
module Onefold

using Printf: @sprintf

export fold, gather, answer, save, load, digest, OnefoldError

const library = get(ENV, "ONEFOLD_LIBRARY", "libonefold.so.1")
const numbers = Dict(Bool => 1, Int8 => 2, Int16 => 3, Int32 => 4, Int64 => 5, UInt8 => 6, UInt16 => 7,
                     UInt32 => 8, UInt64 => 9, Float16 => 10, Float32 => 12, Float64 => 13)
const policies = Dict(:propagate => 0, :omit => 1, :raise => 2)

# The structures of onefold.h.
struct CArray
    data::Ptr{Cvoid}
    dtype::Int32
    rank::Int32
    shape::Ptr{Int64}
    strides::Ptr{Int64}
end

struct COutput
    data::Ptr{Cvoid}
    dtype::Int32
    rank::Int32
    shape::Ptr{Int64}
    strides::Ptr{Int64}
    status::Ptr{UInt8}
end

struct CValue
    dtype::Int32
    status::Int32
    bits::UInt64
end

struct COptions
    size::Csize_t
    axes::Ptr{Int64}
    axis_count::Int32
    keepdims::Int32
    result::Int32
    nan::Int32
    ddof::Ptr{UInt8}
    where_::Ptr{CArray}
    weights::Ptr{CArray}
    fweights::Ptr{CArray}
    initial::Ptr{CValue}
    empty_nan::Int32
    threads::Int32
    first::UInt64
    device::Ptr{UInt8}
    stream::Ptr{Cvoid}
end

struct OnefoldError <: Exception
    code::Cint
    message::String
end
Base.showerror(io::IO, e::OnefoldError) = print(io, "OnefoldError ", e.code, ": ", e.message)

message() = replace(unsafe_string(ccall((:onefold_message, library), Cstring, ())), "options." => "")
check(code) = code == 0 ? nothing : throw(OnefoldError(code, message()))

mutable struct State
    handle::Ptr{Cvoid}
    function State(handle)
        state = new(handle)
        finalizer(s -> ccall((:onefold_state_free, library), Cvoid, (Ptr{Cvoid},), s.handle), state)
    end
end

# Julia's first dimension is the fastest, C's the last.
struct Described
    array::StridedArray
    shape::Vector{Int64}
    strides::Vector{Int64}
    function Described(x::StridedArray)
        haskey(numbers, eltype(x)) || throw(ArgumentError("elements of $(eltype(x)) cannot be folded"))
        new(x, collect(Int64, reverse(size(x))), collect(Int64, reverse(strides(x))) .* sizeof(eltype(x)))
    end
end
Described(x::AbstractArray) = Described(collect(x))
carray(d::Described) = CArray(pointer(d.array), numbers[eltype(d.array)], ndims(d.array), pointer(d.shape), pointer(d.strides))

# Calls f(x, y, options) with pointers that live as long as the call.
function described(f, x, y, mask, nan, ddof, axes, result)
    dx = Described(x)
    dy = y === nothing ? nothing : Described(y)
    dm = mask === nothing ? nothing : Described(mask isa StridedArray{Bool} ? mask : collect(Bool, mask))
    rx, ry, rm = Ref(carray(dx)), Ref{CArray}(), Ref{CArray}()
    GC.@preserve dx dy dm axes rx ry rm begin
        dy === nothing || (ry[] = carray(dy))
        dm === nothing || (rm[] = carray(dm))
        at(r, d) = d === nothing ? Ptr{CArray}(C_NULL) : Base.unsafe_convert(Ptr{CArray}, r)
        with_options(nan, ddof, result; axes, where_ = at(rm, dm)) do options
            f(at(rx, dx), at(ry, dy), options)
        end
    end
end

function with_options(f, nan, ddof, result; axes = nothing, where_ = Ptr{CArray}(C_NULL))
    text = @sprintf("%a", Float64(ddof))  # all digits of a double
    GC.@preserve text axes begin
        f(Ref(COptions(sizeof(COptions), axes === nothing ? C_NULL : pointer(axes),
                       axes === nothing ? 0 : length(axes), 0, result, policies[nan], pointer(text), where_,
                       C_NULL, C_NULL, C_NULL, 0, 0, 0, C_NULL, C_NULL)))
    end
end

result_of(op) = startswith(op, "arg") ? 0 : numbers[Float64]

"""
    fold(op, x [, y]; dims = :, mask = nothing, nan = :propagate, ddof = 0)

One answer of a whole array, or an array of answers with `dims` of length 1, as of `sum(x; dims)`.
"""
function fold(op::AbstractString, x::AbstractArray, y = nothing; dims = :, mask = nothing, nan = :propagate, ddof = 0)
    dims === Colon() && return answer(gather(op, x, y; mask, nan), op; ddof)
    all(d -> 1 <= d <= ndims(x), dims) || throw(ArgumentError("dims = $dims of an array with $(ndims(x)) dimensions"))
    axes = Int64[ndims(x) - d for d in dims]
    out = Array{Float64}(undef, ntuple(d -> d in dims ? 1 : size(x, d), ndims(x)))
    kept = Int64[size(x, d) for d in ndims(x):-1:1 if !(d in dims)]
    described(x, y, mask, nan, ddof, axes, numbers[Float64]) do px, py, options
        GC.@preserve out kept begin
            to = Ref(COutput(pointer(out), numbers[Float64], length(kept), pointer(kept), C_NULL, C_NULL))
            check(ccall((:onefold_fold_into, library), Cint,
                        (Ptr{COutput}, Csize_t, Cstring, Ptr{CArray}, Ptr{CArray}, Ptr{COptions}),
                        to, 1, op, px, py, options))
        end
    end
    startswith(op, "arg") ? out .+ 1 : out
end

"The exact partial result of a part of the data, for `ops` such as \"mean,var\"."
function gather(ops::AbstractString, x::AbstractArray, y = nothing; mask = nothing, nan = :propagate)
    state = Ref{Ptr{Cvoid}}(C_NULL)
    described(x, y, mask, nan, 0, nothing, 0) do px, py, options
        check(ccall((:onefold_gather, library), Cint,
                    (Cstring, Ptr{CArray}, Ptr{CArray}, Ptr{COptions}, Ptr{Ptr{Cvoid}}), ops, px, py, options, state))
    end
    State(state[])
end

function answer(state::State, op::AbstractString; ddof = 0)
    value, out = Ref{CValue}(), Ref{Cdouble}()
    with_options(:propagate, ddof, result_of(op)) do options
        check(ccall((:onefold_state_answer, library), Cint, (Ptr{Cvoid}, Cstring, Ptr{COptions}, Ptr{CValue}),
                    state.handle, op, options, value))
    end
    check(ccall((:onefold_value_f64, library), Cint, (Ptr{CValue}, Ptr{Cdouble}), value, out))
    GC.@preserve state out[] + startswith(op, "arg")
end

function Base.merge!(into::State, others::State...)
    for other in others
        GC.@preserve into other check(ccall((:onefold_state_merge, library), Cint, (Ptr{Cvoid}, Ptr{Cvoid}),
                                            into.handle, other.handle))
    end
    into
end

"The bytes of docs/format.md, equal on every machine."
function save(state::State)
    bytes, size = Ref{Ptr{UInt8}}(C_NULL), Ref{Csize_t}(0)
    GC.@preserve state check(ccall((:onefold_state_save, library), Cint, (Ptr{Cvoid}, Ptr{Ptr{UInt8}}, Ptr{Csize_t}),
                                   state.handle, bytes, size))
    saved = copy(unsafe_wrap(Array, bytes[], size[]))
    ccall((:onefold_bytes_free, library), Cvoid, (Ptr{UInt8},), bytes[])
    saved
end

function load(bytes::Vector{UInt8})
    state = Ref{Ptr{Cvoid}}(C_NULL)
    check(ccall((:onefold_state_load, library), Cint, (Ptr{UInt8}, Csize_t, Ptr{Ptr{Cvoid}}), bytes, length(bytes), state))
    State(state[])
end

function digest(state::State)
    text = zeros(UInt8, 65)
    GC.@preserve state check(ccall((:onefold_state_digest, library), Cint, (Ptr{Cvoid}, Ptr{UInt8}), state.handle, text))
    String(text[1:64])
end

end
