package contract

import "testing"

// TestDeployment runs every case against the deployment that the environment names.
func TestDeployment(t *testing.T) { Run(t, Deployment(t)) }
