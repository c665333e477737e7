// No Go code of ours: this pins the CoreDNS whose source is built with the plugins in plugin.cfg.
module moco-ts/local-kubernetes/coredns

go 1.26.0

require github.com/coredns/coredns v1.15.0
