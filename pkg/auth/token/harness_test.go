package token_test

import (
	"encoding/json"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/hub/pkg/auth/authtest"
	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	issuer   = authtest.Issuer
	audience = authtest.Audience
)

type object = authtest.Object

var (
	now        = authtest.Now
	null       = json.RawMessage("null") // since nil leaves a member out
	ownKey     = authtest.OwnKey
	foreignKey = authtest.ForeignKey
	curveKey   = authtest.CurveKey
	goodHeader = authtest.GoodHeader
	goodClaims = authtest.GoodClaims
	encode     = authtest.Encode
	signRS256  = authtest.SignRS256
	signHS256  = authtest.SignHS256
	signed     = authtest.Token
	joseToken  = authtest.JOSEToken
	publicKey  = authtest.PublicKey
	ownKeys    = authtest.OwnKeys
)

func must[T any](v T, err error) T { return authtest.Must(v, err) }

// config is that of the own issuer at the time of authtest.
func config() token.Config {
	return token.Config{
		Issuer: issuer, Audience: audience, RequireType: token.TypeAccess,
		Keys:  keys.Local(ownKeys),
		Clock: func() time.Time { return now },
	}
}
