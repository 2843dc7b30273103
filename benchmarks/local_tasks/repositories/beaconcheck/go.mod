module example.org/beaconcheck

go 1.22
