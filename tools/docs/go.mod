module example.com/hub/tools/docs

go 1.26.0
