package main

import (
	"testing"

	"example.com/hub/pkg/config/configtest"
)

func TestSettingsFaultsHaveNoWordsOfGo(t *testing.T) {
	configtest.Words[config](t)
}

func TestSettingsAreDeclaredOnce(t *testing.T) {
	configtest.Once[config](t)
}
