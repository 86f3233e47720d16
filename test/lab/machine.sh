#!/bin/sh
# Turns a tree of Debian into the machine of the laboratory. mmdebstrap calls it with the tree.
# LAB_KEY is the public key that logs in as root, ada and ben.
set -eu
tree=$1

write() {
  mkdir -p "$(dirname "$tree$1")"
  cat >"$tree$1"
}
authorize() {
  printf '%s\n' "$LAB_KEY" | write "$2/.ssh/authorized_keys"
  chroot "$tree" chown -R "$1:$1" "$2/.ssh"
  chmod 700 "$tree$2/.ssh"
}

authorize root /root
for user in ada ben; do
  chroot "$tree" useradd --create-home --shell /bin/bash --groups plugdev,systemd-journal "$user"
  echo "$user:password-of-$user" | chroot "$tree" chpasswd
  authorize "$user" "/home/$user"
done

echo lab >"$tree/etc/hostname"
echo '/dev/vda / ext4 defaults 0 1' >"$tree/etc/fstab"
printf '127.0.0.1 localhost lab\n::1 localhost\n10.0.2.2 platform.lab\n' >"$tree/etc/hosts"
echo 'nameserver 10.0.2.3' >"$tree/etc/resolv.conf"

# One link for ssh, which stays, and one for everything else, which the scenarios cut.
write /etc/systemd/network/ssh.network <<'END'
[Match]
MACAddress=52:54:00:00:00:01
[Network]
Address=10.0.9.15/24
LinkLocalAddressing=no
END
write /etc/systemd/network/world.network <<'END'
[Match]
MACAddress=52:54:00:00:00:02
[Network]
Address=10.0.2.15/24
Gateway=10.0.2.2
END

# A desktop asks; here nobody sits in front of the screen.
write /etc/polkit-1/rules.d/50-lab.rules <<'END'
polkit.addRule(function (action) {
  if (action.id.indexOf('org.freedesktop.udisks2.') === 0) return polkit.Result.YES;
});
END

# A login with a password unlocks the keyring, as on a desktop.
echo 'auth optional pam_gnome_keyring.so' >>"$tree/etc/pam.d/sshd"
echo 'session optional pam_gnome_keyring.so auto_start' >>"$tree/etc/pam.d/sshd"
echo 'UseDNS no' >>"$tree/etc/ssh/sshd_config"

chroot "$tree" systemctl enable --quiet systemd-networkd ssh
chroot "$tree" systemctl mask --quiet systemd-networkd-wait-online apt-daily.timer apt-daily-upgrade.timer \
  e2scrub_all.timer fstrim.timer dpkg-db-backup.timer
rm -rf "$tree"/var/cache/apt/archives/*.deb "$tree"/var/lib/apt/lists/*
