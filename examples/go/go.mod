module copse.example/go

go 1.19
