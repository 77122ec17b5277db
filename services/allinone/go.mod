module example.com/hub/services/allinone

go 1.26.0

require (
	example.com/hub/pkg v0.0.0
	example.com/hub/proto v0.0.0
	example.com/hub/services/edge v0.0.0
	example.com/hub/services/messagehub v0.0.0
	example.com/hub/services/todohub v0.0.0
)

replace example.com/hub/proto => ../../proto

replace example.com/hub/pkg => ../../pkg

replace example.com/hub/services/todohub => ../todohub

replace example.com/hub/services/messagehub => ../messagehub

replace example.com/hub/services/edge => ../edge
