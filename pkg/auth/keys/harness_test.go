package keys_test

import "example.com/hub/pkg/auth/authtest"

type object = authtest.Object

var (
	ownKey     = authtest.OwnKey
	foreignKey = authtest.ForeignKey
	goodHeader = authtest.GoodHeader
	goodClaims = authtest.GoodClaims
	encode     = authtest.Encode
	signRS256  = authtest.SignRS256
	signed     = authtest.Token
	joseToken  = authtest.JOSEToken
	publicKey  = authtest.PublicKey
	ownKeys    = authtest.OwnKeys
)

func must[T any](v T, err error) T { return authtest.Must(v, err) }
