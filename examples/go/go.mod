module example.com/holdfast

go 1.21
