package allinone_test

import (
	"testing"

	"example.com/hub/pkg/config/configtest"
	"example.com/hub/services/allinone"
)

func TestSettingsFaultsHaveNoWordsOfGo(t *testing.T) {
	configtest.Words[allinone.Config](t)
}

func TestSettingsAreDeclaredOnce(t *testing.T) {
	configtest.Once[allinone.Config](t)
}
