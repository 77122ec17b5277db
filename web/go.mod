module example.com/hub/web

go 1.26.0
