module onefold.invalid/languages/go

go 1.19
