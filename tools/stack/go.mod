module example.com/hub/tools/stack

go 1.26.0
