# julia test.jl, with ONEFOLD_LIBRARY=.../libonefold.so.1 where the loader does not find it.
include("Onefold.jl")
using .Onefold, Test

@testset "Onefold" begin
    x = [1e16, 1.0, -1e16, 2.0]
    @test fold("sum", x) == 3.0
    @test fold("sum", view(x, 1:2:3)) == 0.0
    @test fold("argmax", x) == 1
    @test fold("sum", [1, 2, 3]) == 6.0
    @test fold("var", [1.0, 2.0, 4.0]; ddof = 1) == 7 / 3
    @test fold("dot", [1.0, 2.0], [3.0, 4.0]) == 11.0
    @test fold("sum", x; mask = x .< 1e15) == -9999999999999996.0
    @test isnan(fold("sum", [1.0, NaN])) && fold("sum", [1.0, NaN]; nan = :omit) == 1.0
    m = Float64.(reshape(1:6, 3, 2))
    @test fold("mean", m; dims = 1) == [2.0 5.0]
    @test fold("mean", m; dims = 2) == reshape([2.5, 3.5, 4.5], 3, 1)
    @test fold("argmax", m; dims = 1) == [3.0 3.0]
    @test fold("sum", m'; dims = 1) == [5.0 7.0 9.0]
    s = merge!(gather("mean", x[1:2]), gather("mean", x[3:4]))
    @test answer(s, "mean") == 0.75
    @test digest(load(save(s))) == digest(s)
    @test_throws OnefoldError fold("nope", x)
    @test_throws OnefoldError answer(s, "max")
    @test_throws ArgumentError fold("sum", x; dims = 2)
end
