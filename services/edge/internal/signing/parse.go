package signing

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"
)

const (
	keyBits    = 2048
	keyPEMType = "PRIVATE KEY" // PKCS 8
)

// set is what a file says.
type set struct {
	signer   jose.Signer // of the first key
	public   []jose.JSONWebKey
	document []byte // public as a JSON Web Key Set
}

// parse reads RSA private keys from PEM blocks, for tokens of a type. To change the key without a refused
// token, add the new one at the end, move it to the front when every edge publishes it, and drop the old one
// when its last token has expired.
func parse(content []byte, typ string) (set, error) {
	var out set
	for {
		block, rest := pem.Decode(content)
		if block == nil {
			break
		}
		content = rest
		key, err := parseKey(block)
		if err != nil {
			return set{}, fmt.Errorf("key %d: %w", len(out.public), err)
		}
		if err := out.add(key, typ); err != nil {
			return set{}, fmt.Errorf("key %d: %w", len(out.public), err)
		}
	}
	if len(out.public) == 0 {
		return set{}, errors.New("no PEM block with a private key")
	}
	var err error
	if out.document, err = json.Marshal(jose.JSONWebKeySet{Keys: out.public}); err != nil {
		return set{}, fmt.Errorf("encode key set: %w", err)
	}
	return out, nil
}

func parseKey(block *pem.Block) (*rsa.PrivateKey, error) {
	switch block.Type {
	case "RSA PRIVATE KEY":
		key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("parse PKCS 1: %w", err)
		}
		return checkKey(key)
	case keyPEMType:
		key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("parse PKCS 8: %w", err)
		}
		rsaKey, ok := key.(*rsa.PrivateKey)
		if !ok {
			return nil, fmt.Errorf("a %T is no RSA key", key)
		}
		return checkKey(rsaKey)
	default:
		return nil, fmt.Errorf("a PEM block %q is no private key", block.Type)
	}
}

func checkKey(key *rsa.PrivateKey) (*rsa.PrivateKey, error) {
	if key.N.BitLen() < keyBits {
		return nil, fmt.Errorf("%d bits are too few, %d are needed", key.N.BitLen(), keyBits)
	}
	return key, nil
}

// add publishes a key; the first one also signs. The key id is the thumbprint of RFC 7638, so that
// every edge with the same file gives the same one.
func (k *set) add(private *rsa.PrivateKey, typ string) error {
	public := jose.JSONWebKey{Key: private.Public(), Algorithm: string(jose.RS256), Use: "sig"}
	thumbprint, err := public.Thumbprint(crypto.SHA256)
	if err != nil {
		return fmt.Errorf("make key id: %w", err)
	}
	public.KeyID = base64.RawURLEncoding.EncodeToString(thumbprint)
	k.public = append(k.public, public)
	if k.signer != nil {
		return nil
	}
	k.signer, err = jose.NewSigner(
		jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: private, KeyID: public.KeyID}},
		(&jose.SignerOptions{}).WithType(jose.ContentType(typ)),
	)
	if err != nil {
		return fmt.Errorf("make signer: %w", err)
	}
	return nil
}

// NewKey makes a signing key in PEM, for a file of keys.
func NewKey() ([]byte, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: keyPEMType, Bytes: der}), nil
}
