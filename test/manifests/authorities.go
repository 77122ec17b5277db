package manifests

import (
	"path"
	"slices"
	"strings"
)

// authorities is the variable that names folders with certificates of authorities.
const authorities = "SSL_CERT_DIR"

// ownAuthorities is the folder of the public ones in the images.
const ownAuthorities = "/etc/ssl/certs"

// checkAuthorities wants folders of authorities to be mounted, and each container that calls PostgreSQL
// or Redis to trust what any container of Hub trusts.
func (c *checker) checkAuthorities(w workload) {
	for _, k := range containers(w.pod.Spec) {
		environ := c.environ(w, k)
		folders := strings.Split(value(environ, authorities), ":")
		for _, folder := range folders {
			if folder != "" && folder != ownAuthorities && !c.mounted(w, k.Name, folder) {
				c.findf("%s: %s of container %s names %s, where nothing is mounted", w.name, authorities, k.Name, folder)
			}
		}
		if value(environ, "HUB_DATABASE_URL") == "" && value(environ, "HUB_REDIS_URL") == "" {
			continue
		}
		for _, folder := range c.trusted() {
			if !slices.Contains(folders, folder) {
				c.findf("%s: container %s does not trust the authorities in %s", w.name, k.Name, folder)
			}
		}
	}
}

// trusted gives the folders of authorities that containers of Hub name.
func (c *checker) trusted() []string {
	var folders []string
	for _, w := range c.workloads {
		for _, k := range containers(w.pod.Spec) {
			for _, folder := range strings.Split(value(c.environ(w, k), authorities), ":") {
				if folder != "" && !slices.Contains(folders, folder) {
					folders = append(folders, folder)
				}
			}
		}
	}
	return folders
}

// mounted tells whether a container has a volume with at least one file at a folder.
func (c *checker) mounted(w workload, container, folder string) bool {
	for _, k := range containers(w.pod.Spec) {
		for _, m := range k.VolumeMounts {
			for _, v := range w.pod.Spec.Volumes {
				if k.Name == container && m.MountPath == path.Clean(folder) && m.Name == v.Name && len(c.files(w, v)) > 0 {
					return true
				}
			}
		}
	}
	return false
}
