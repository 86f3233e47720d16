#!/bin/sh
# Installs athlete-sync with its own Node.js, without root. Run it again to update.
#
#   sh install.sh [--prefix DIR] [--from URL]
#   sh install.sh [--prefix DIR] --uninstall
#
# --prefix DIR  where to install: DIR/lib/athlete-sync, DIR/bin, DIR/share (default: ~/.local)
# --from URL    a folder with SHA256SUMS and the archives: https://, http:// or file://
#               (default: the newest release)
set -eu

RELEASES=https://github.com/athlete-sync/athlete-sync/releases
FROM=$RELEASES/latest/download

# Everything runs from here, at the last line: half of a download does nothing.
main() {
  # Other users may not replace the program, even with a umask of 000.
  umask go-w
  prefix=${HOME:-}/.local
  from=$FROM
  action=install
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix | --from)
        [ $# -ge 2 ] || fail 2 "$1 needs a value."
        case $1 in
          --prefix) prefix=$2 ;;
          --from) from=${2%/} ;;
        esac
        shift
        ;;
      --uninstall) action=uninstall ;;
      *) fail 2 "Unknown argument: $1. Known: --prefix DIR, --from URL, --uninstall." ;;
    esac
    shift
  done
  case $prefix in
    /.local) fail 2 "HOME is not set. Name a folder: --prefix DIR." ;;
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  home=$prefix/lib/athlete-sync
  if [ -e "$home" ] && [ ! -f "$home/dist/main.cjs" ]; then
    fail 1 "$home exists and is not an installation of athlete-sync. Nothing was changed."
  fi
  $action
}

install() {
  platform=$(find_platform)
  (mkdir -p "$prefix/lib" "$prefix/bin") 2>/dev/null || cannot_write
  scratch=$(mktemp -d "$prefix/lib/.athlete-sync-XXXXXX" 2>/dev/null) || cannot_write
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 130' INT TERM HUP

  download SHA256SUMS
  line=$(grep -- "-$platform\.tar\.gz\$" "$scratch/SHA256SUMS") ||
    fail 1 "$from/SHA256SUMS names no archive for $platform."
  archive=${line##* }
  case $archive in
    *[!A-Za-z0-9._-]*) fail 1 "$from/SHA256SUMS names an archive for $platform that is no plain file name. Nothing was installed." ;;
  esac
  echo "Downloading $from/$archive"
  download "$archive"
  found=$(sha256 "$scratch/$archive")
  [ "$found" = "${line%% *}" ] ||
    fail 1 "$archive is damaged: its SHA-256 is $found, SHA256SUMS says ${line%% *}. Nothing was installed."

  mkdir "$scratch/new"
  tar -xzf "$scratch/$archive" --no-same-owner --no-same-permissions -C "$scratch/new" || fail 1 "$archive cannot be unpacked. Nothing was installed."
  # A hidden file beside the folder would keep `new` from being removed.
  (mv "$scratch/new/"* "$scratch/folder" && rmdir "$scratch/new") 2>/dev/null || fail 1 "$archive is not one folder. Nothing was installed."
  version=$("$scratch/folder/bin/athlete-sync" --version) ||
    fail 1 "Node.js of this archive does not run on this system (see above). Nothing was installed.
  It needs glibc 2.29 or newer. With your own Node.js: npm install --global athlete-sync"

  replace
  link_all
  echo "Installed athlete-sync $version in $home."
  report_path
  report_daemons
}

# Puts the new folder in the place of the earlier one, or restores it.
replace() {
  [ ! -e "$home" ] || mv "$home" "$scratch/earlier"
  if ! mv "$scratch/folder" "$home"; then
    [ ! -e "$scratch/earlier" ] || mv "$scratch/earlier" "$home"
    cannot_write
  fi
}

uninstall() {
  [ -e "$home" ] || fail 1 "athlete-sync is not installed in $home."
  for service in "${XDG_CONFIG_HOME:-$HOME/.config}"/systemd/user/athlete-sync*.service "$HOME"/Library/LaunchAgents/athlete-sync.*.plist; do
    if [ -e "$service" ] && grep -qF "$home" "$service"; then
      fail 1 "The service $service starts this program. Run \`athlete-sync daemon uninstall\` first."
    fi
  done
  "$home/bin/athlete-sync" daemon stop >/dev/null 2>&1 || true
  links | while read -r link target; do
    ! is_ours "$link" "$target" || rm -f "$prefix/$link"
  done
  settings=$("$home/bin/athlete-sync" config path 2>/dev/null) || settings=
  rm -rf "$home" || cannot_write
  echo "Removed athlete-sync from $prefix. Your login, settings${settings:+ ($settings)} and the record of sent data stay."
}

# Links below the prefix, and what they point to in the installed folder.
links() {
  cat <<'END'
bin/athlete-sync bin/athlete-sync
bin/sync bin/sync
share/man/man1/athlete-sync.1 share/man/man1/athlete-sync.1
share/bash-completion/completions/athlete-sync share/bash-completion/completions/athlete-sync
share/bash-completion/completions/sync share/bash-completion/completions/athlete-sync
share/zsh/site-functions/_athlete-sync share/zsh/site-functions/_athlete-sync
share/fish/vendor_completions.d/athlete-sync.fish share/fish/vendor_completions.d/athlete-sync.fish
END
}

link_all() {
  links | while read -r link target; do
    if { [ -e "$prefix/$link" ] || [ -L "$prefix/$link" ]; } && ! is_ours "$link" "$target"; then
      echo "Kept $prefix/$link, which is not from athlete-sync." >&2
      continue
    fi
    mkdir -p "$prefix/${link%/*}"
    ln -sf "$home/$target" "$prefix/$link"
  done
}

is_ours() {
  [ -L "$prefix/$1" ] && [ "$(readlink "$prefix/$1")" = "$home/$2" ]
}

find_platform() {
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail 1 "There is no archive for $(uname -s). For Windows, see $RELEASES; others: npm install --global athlete-sync" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) fail 1 "There is no archive for $(uname -s) on $(uname -m). With Node.js 20.19 or newer: npm install --global athlete-sync" ;;
  esac
  # A shell under Rosetta claims to run on x64.
  if [ "$system" = darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then
    machine=arm64
  fi
  echo "$system-$machine"
}

# Downloads a file of the release into the scratch folder.
download() {
  case $from in
    file://*) cp "${from#file://}/$1" "$scratch/$1" || cannot_download "$1" ;;
    *)
      if command -v curl >/dev/null; then
        # After https, redirects to plain http are refused.
        case $from in https://*) redirects=https ;; *) redirects=http,https ;; esac
        # A terminal gets a progress bar: the archive has 44 MB.
        if [ -t 2 ]; then progress=--progress-bar; else progress=--silent; fi
        curl -fSL $progress --retry 2 --proto-redir "=$redirects" -o "$scratch/$1" "$from/$1" || cannot_download "$1"
      elif command -v wget >/dev/null; then
        wget -q -O "$scratch/$1" "$from/$1" || cannot_download "$1"
      else
        fail 1 "Neither curl nor wget is installed."
      fi
      ;;
  esac
}

sha256() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1"
  elif command -v shasum >/dev/null; then
    shasum -a 256 "$1"
  else
    fail 1 "Neither sha256sum nor shasum is installed: the download cannot be checked. Nothing was installed."
  fi | cut -d ' ' -f 1
}

report_path() {
  case :$PATH: in
    *":$prefix/bin:"*) [ -e "$scratch/earlier" ] || echo "Begin with: athlete-sync login" ;;
    *)
      # shellcheck disable=SC2088 # It is shown, not used.
      case ${SHELL:-} in
        */fish) line="fish_add_path '$prefix/bin'" file='' ;;
        */zsh) line="export PATH=\"$prefix/bin:\$PATH\"" file='~/.zprofile' ;;
        *) line="export PATH=\"$prefix/bin:\$PATH\"" file='~/.profile' ;;
      esac
      if [ -n "$file" ]; then
        echo "$prefix/bin is not in your PATH. Add this line to $file, and log in again:"
      else
        echo "$prefix/bin is not in your PATH. Type:"
      fi
      echo "  $line"
      ;;
  esac
}

# A daemon that runs keeps the earlier version.
report_daemons() {
  if "$home/bin/athlete-sync" daemon status --json 2>/dev/null | grep -q '"running":true'; then
    echo "A daemon still runs the earlier version. \`athlete-sync daemon stop\` stops it; then start it again."
  fi
}

cannot_download() {
  fail 1 "$from/$1 cannot be downloaded. Nothing was installed."
}

cannot_write() {
  fail 1 "$prefix cannot be written by $(id -un). Nothing was changed. Name another folder: --prefix DIR."
}

fail() {
  code=$1
  shift
  echo "athlete-sync: $*" >&2
  exit "$code"
}

main "$@"
