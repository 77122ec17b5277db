module example.com/hub/tools/withdeps

go 1.26.0
