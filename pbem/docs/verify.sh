#!/bin/sh
# Checks a bundle that `pbem export` wrote, with stock tools and nothing of pbem:
#
#     sh verify.sh BUNDLE [GENESIS_HEAD] [HELD_DIR]
#
# BUNDLE        the folder (a .tar.gz first: mkdir unpacked && tar -xzf BUNDLE.tar.gz -C unpacked)
# GENESIS_HEAD  the game's first head, all 64 digits, as you were told it when you joined; "-" if you have none
# HELD_DIR      a folder of receipts and checkpoints that players kept: NAME.txt with NAME.txt.sig
#
# Needs a POSIX shell with the usual small tools (awk, sed, sort, cmp, tr, xargs...), sha256sum, openssl,
# ssh-keygen and age. Exit status: 0 nothing is wrong, 3 something is refuted, 4 something is missing that must
# be there, 2 it could not begin.
#
# Every claim is printed as proven, open (this bundle cannot show it), missing (it rests on something that must
# be in the bundle, and is not) or refuted. What is missing and follows from other files is derived from them.
# The last line says what was shown and what was not. Nothing here plays the
# game: that the right dice were rolled, in the right order, for the right reasons, only `pbem audit` shows.
# Of a signature the script sees to it that it is one block of base64 between its BEGIN and END lines; what is
# in the block ssh-keygen judges, and what opens age does, where `pbem audit` also demands that it is written in
# the one right way. That a key is not of small order it leaves to `pbem audit` as well, and all that only playing
# shows: what orders do, where an exchange stops, which dice are rolled, what is drawn, what a report says, and who
# has won, also where an act has ended the game.
# A bundle may come from anybody: its names are checked before a file is read, no link is followed, nothing
# in it is run, and nothing is written outside a temporary folder.
#
# Contents: what is done, in this order. Each function is named by the claim that it prints, or by a part of it, and
# each claim is worded as `pbem audit` words it, but for two that the audit makes of each entry by itself; at them it
# is said why. "prepare" makes ready what is looked at next. The functions stand below in the same order, each after
# the helpers that it uses. Where go_on stands, the check ends if something is refuted or missing: the rest rests on it.

check_the_bundle() {
    # the files, before any is opened
    only_files_of_a_bundle_are_in_the_bundle
    prepare_a_copy
    # the log: leaves, entries, heads
    the_log_holds_every_leaf_in_order
    go_on
    prepare_the_entries
    every_entry_in_the_bundle_fits_its_leaf
    go_on
    the_genesis_is_the_one_that_the_players_joined
    # the entries, line by line
    every_entry_is_written_as_its_kind_demands
    go_on
    prepare_the_tables
    the_entries_follow_each_other_as_the_protocol_demands
    go_on
    every_exchange_was_opened_under_the_rules_that_were_in_force
    no_exchange_was_closed_early_extended_late_or_received_after_its_close
    no_order_file_and_no_revision_was_received_twice
    go_on
    # keys and checkpoints
    the_keys_are_those_of_the_genesis
    go_on
    every_new_key_is_signed_by_the_one_before_it
    after_every_new_key_the_bundle_says_who_signs_from_then_on
    every_rotation_in_the_bundle_belongs_to_an_entry
    go_on
    every_checkpoint_is_signed_by_the_judge_and_fits_the_log
    a_signed_head_covers_every_exchange
    the_bundle_is_the_whole_game
    # orders
    every_order_file_that_the_ledger_names_is_in_the_bundle_unchanged
    prepare_the_seal_keys
    the_seal_keys_in_the_bundle_are_those_that_the_players_sealed_to
    every_opened_order_file_is_its_players
    every_order_file_is_opened
    # consents to acts of the game master
    every_consent_that_the_ledger_names_was_signed
    every_consent_in_the_bundle_belongs_to_an_act
    # reveals, mixes, dice
    every_reveal_is_the_next_step_of_a_chain_that_was_fixed_before
    everyone_who_sent_orders_in_time_contributed_to_the_dice
    what_the_players_shares_in_the_dice_come_from_was_fixed
    players_had_a_share_in_the_dice
    every_mix_is_made_of_its_exchanges_reveals_and_nothing_else
    every_die_is_the_one_that_its_key_and_label_give
    # reports
    every_report_in_the_bundle_fits_the_ledger
    # what is opened at the end
    every_secret_mix_is_made_of_the_judges_secret_chain
    the_judges_secrets_are_those_that_the_genesis_fixes
    # what the bundle is, and what must be in it
    the_bundle_holds_everything_that_it_must_hold
    what_the_bundle_lacks_follows_from_what_it_holds
    # what players kept
    the_bundle_agrees_with_what_players_kept
    the_bundle_is_as_new_as_what_players_kept
    # what is not looked at here
    played_again_every_exchange_is_as_the_ledger_says
    verdict
}

set -u
LC_ALL=C
export LC_ALL
unset CDPATH OPENSSL_CONF SSH_ASKPASS
umask 077

FORMAT=3
LARGEST_FILE=2000000

clean() { tr -c ' -~\n' '?'; } # whatever else stood in a name or a text could write on the reader's terminal
stop() { # the check cannot begin
    printf 'verify.sh: %s\n' "$(printf %s "$*" | tr '\n' '?' | clean)" >&2
    exit 2
}

is_hash() {
    case $1 in
    *[!0-9a-f]*) return 1 ;;
    esac
    [ ${#1} -eq 64 ]
}

# For awk: what text may hold, by its bytes. A line of an entry is UTF-8 without controls, without blanks other than
# the space, without what is hidden, ends a line or turns its direction, and without what is no character.
reading='
    function is_utf8(text) {
        gsub(/[\302-\337][\200-\277]|\340[\240-\277][\200-\277]|\355[\200-\237][\200-\277]/, "", text)
        gsub(/[\341-\354\356\357][\200-\277][\200-\277]|\360[\220-\277][\200-\277][\200-\277]/, "", text)
        gsub(/[\361-\363][\200-\277][\200-\277][\200-\277]|\364[\200-\217][\200-\277][\200-\277]/, "", text)
        return text !~ /[\200-\377]/
    }
    function is_plain(text) {
        if (text !~ /[^ -~]/) return 1
        if (text ~ /[\001-\037\177]|\302[\200-\240\255]|\330\234|\341\232\200|\343\200\200/) return 0
        if (text ~ /\342\200[\200-\213\216\217\250-\257]|\342\201[\237-\257]|\357\267[\220-\257]/) return 0
        if (text ~ /\357\273\277|\357\277[\276\277]|[\360-\364][\217\237\257\277]\277[\276\277]/) return 0
        return is_utf8(text)
    }'

if [ $# -lt 1 ] || [ $# -gt 3 ]; then
    stop "usage: verify.sh BUNDLE [GENESIS_HEAD] [HELD_DIR]"
fi
for tool in awk sed grep sort uniq cmp wc tr cat paste xargs mktemp sha256sum openssl ssh-keygen age age-keygen; do
    command -v $tool >/dev/null 2>&1 || stop "$tool is not installed"
done
pinned=${2:--}
if [ "$pinned" != - ] && ! is_hash "$pinned"; then
    stop "a head has 64 digits (0-9, a-f), and all of them are needed: $pinned"
fi
held=${3:-}
case $held in
'' | /*) ;;
*) held=$PWD/$held ;;
esac
if [ -n "$held" ] && [ ! -d "$held" ]; then stop "$held is not a folder"; fi
case $1 in
/*) bundle=$1 ;;
*) bundle=./$1 ;;
esac
if [ -f "$bundle" ]; then
    stop "this is a file; if it is an archive, unpack it: mkdir unpacked && tar -xzf $1 -C unpacked && sh $0 unpacked"
fi
cd "$bundle" 2>/dev/null || stop "$1 is not a folder that can be read"
set -- *
if [ $# -eq 1 ] && [ ! -L "$1" ] && [ -d "./$1/log" ]; then # as an archive of a folder unpacks
    cd "./$1" || stop "$1 is not a folder that can be read"
fi

work=$(mktemp -d) || stop "there is no room for temporary files"
hasher=no
leave() {
    if [ $hasher != no ]; then
        exec 4<&-
        # At a message without a reader it ends; if it was stopped with this script, it has ended (jobs looks).
        while [ -p "$work/digests" ] && kill -0 $hasher; do
            : <>"$work/message"
            jobs
        done >/dev/null 2>&1
        wait $hasher
    fi
    rm -rf "$work"
}
trap leave EXIT
trap 'exit 2' HUP INT TERM
mkdir "$work/leaf" "$work/mix" "$work/checkpoints" "$work/messages" "$work/plain"
faults=$work/faults
: >"$faults"
: >"$work/derived"
refuted=no
incomplete=no
bundle_is='this copy'

# ---------------------------------------------------------------- what is said

# Where awk reads two files, "second=1" stands between them: the first may be empty.

fault() { # note why the claim that is being checked does not hold
    printf '%s\n' "$*" >>"$faults"
}

claim() { # claim TEXT: refuted if a fault was noted since the last claim, missing if only a lack was, else proven
    if grep -v '^incomplete: ' "$faults" >"$work/grave"; then
        printf 'refuted  %s: %s\n' "$1" "$(sed -n 1p "$work/grave" | clean)"
        refuted=yes
    elif [ -s "$faults" ]; then
        printf 'missing  %s: %s\n' "$1" "$(sed -n 1p "$faults" | clean)"
        incomplete=yes
    else
        printf 'proven   %s\n' "$1"
    fi
    : >"$faults"
}

open() { # open TEXT WHY: this bundle cannot show it
    printf 'open     %s: %s\n' "$1" "$(printf %s "$2" | tr '\n' '?' | clean)"
}

also() { # also NAME: faults of this claim that were noted when the entries were read
    if [ -f "$work/noted.$1" ]; then cat "$work/noted.$1" >>"$faults"; fi
}

verdict() { # the last words, and the exit status
    if [ $refuted = yes ]; then
        echo 'REFUTED: this bundle is not what an honest judge writes: this copy is old or was changed, or the judge cheated;'
        echo 'get another copy from the judge or another player, and compare'
        echo 'this shows that this copy is not what an honest judge writes; it does not show whether the judge or somebody else did it'
        exit 3
    fi
    echo 'nothing is refuted'
    if [ $incomplete = yes ]; then
        echo 'INCOMPLETE: this copy lacks what it must hold, and what is missing may be what would refute it;'
        echo 'get another copy from the judge or another player'
        echo "this shows that what is there of $bundle_is fits together; it does not show what needs the missing files"
        exit 4
    fi
    echo 'it does not show that the rules ask for these dice and give these reports, or that a secret draw is right;'
    echo 'pbem audit shows it. What is inside the base64 of a signature is judged by ssh-keygen alone, and what a'
    echo 'sealed file looks like by age, less strictly than by pbem audit.'
    printf 'this shows that the entries, signatures, chains and dice of %s fit each other; it does not show that orders were followed' \
        "$bundle_is"
    [ "$pinned" != - ] || printf ', that it is the game that the players joined'
    [ -n "$held" ] || printf ', that players were shown the same'
    [ "$stage" = over ] || printf ', what has happened since'
    echo
    exit 0
}

leave_the_rest() { # leave_the_rest WHY: it is not looked at
    rests_on=missing
    [ $refuted = no ] || rests_on=refuted
    open "the rest of the bundle was not checked, because it needs what is $rests_on" "$1"
    verdict
}

go_on() { # nothing below means anything if what is above does not hold
    if [ $refuted = yes ] || [ $incomplete = yes ]; then
        leave_the_rest "$(
            awk '/^checkpoints\/.*txt$/ { heads++ } /^sealed\// { files++ } /^mix\// { mixes++ } /^reports\// { reports++ }
                END {
                    printf "%d heads, %d order files, %d mixes, %d reports, all dice", heads, files, mixes, reports
                }' "$work/names"
        )"
    fi
}

differ() { # differ NAME EXPECTED FOUND: note the first line in which a file is not what it must be
    cmp -s "$2" "$3" || awk -v name="$1" -v expected="$2" '
        BEGIN { while ((getline line <expected) > 0) want[++lines] = line }
        !told && (FNR > lines || $0 "" != want[FNR] "") {
            print name ", line " FNR ": expected " (FNR > lines ? "nothing more" : want[FNR]) ", found " $0
            told = 1
        }
        END {
            if (told) exit
            if (NR < lines) print name ", line " NR + 1 ": expected " want[NR + 1] ", found nothing more"
            else print name " differs in characters that you cannot see, such as a missing line end"
        }' "$3" >>"$faults"
}

is_word() {
    case $1 in
    '' | [!a-z0-9]* | *[!a-z0-9._-]*) return 1 ;;
    esac
    [ ${#1} -le 64 ]
}

is_number() { # is_number TEXT SHORTEST LONGEST: digits, so many
    case $1 in
    '' | *[!0-9]*) return 1 ;;
    esac
    [ ${#1} -ge "$2" ] && [ ${#1} -le "$3" ]
}

# One sha256sum reads message after message and says the hash of each, as long as the script runs: ten thousand
# processes less. Only GNU's says each hash at once if stdbuf asks for it; with others, one process hashes one.
case $(sha256sum --version 2>/dev/null && stdbuf --version 2>/dev/null) in
*'GNU coreutils'*'GNU coreutils'*)
    if command -v mkfifo >/dev/null 2>&1 && mkfifo "$work/message" "$work/digests"; then
        (
            cd "$work" && yes message | stdbuf -oL xargs -n 2000 sh -c 'sha256sum "$@" || exit 255' -
            rm -f "$work/digests"
        ) >"$work/digests" 2>/dev/null &
        exec 4<"$work/digests"
        hasher=$!
    fi
    ;;
esac
digest() { # digest LINE: leaves its hash in $digest
    if [ $hasher != no ]; then
        printf '%s\n' "$1" >"$work/message"
        read -r digest _ <&4
    else
        digest=$(printf '%s\n' "$1" | sha256sum)
        digest=${digest%% *}
    fi
}
hmac() { # reads lines "key message"; prints the digest of each (openssl takes what it hashes from files)
    awk -v folder="$work/messages" '
        {
            message = folder "/" NR
            printf "%s", substr($0, length($1) + 2) >message
            close(message)
            if ($1 "" != key "" || ++files > 500) { # one openssl for those of one key, in their order
                if (NR > 1) print ""
                printf "%s", key = $1
                files = 1
            }
            printf " %d", NR
        }
        END { if (NR) print "" }' >"$work/keyed"
    (
        cd "$work/messages" || exit
        while read -r key files; do
            # shellcheck disable=SC2086 # numbers, one argument each
            openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" $files
        done <"$work/keyed"
    ) | sed 's/.*= //'
}
unlike() { # unlike LIST: which of these files are not as they are in the temporary folder
    if [ ! -s "$1" ]; then return; fi
    {
        (cd "$work" && xargs sha256sum) <"$1"
        xargs sha256sum <"$1"
    } | awk '!($2 in hash) { hash[$2] = $1; next } hash[$2] "" != $1 "" { print $2 }'
}
blank_others() { # blank_others LIST: empty those of these copies that are not exactly one signature as ssh-keygen writes it
    if [ ! -s "$1" ]; then return; fi
    xargs wc -c <"$1" | awk '
        $2 == "total" { next }
        {
            lines = bytes = short = ended = 0
            good = 1
            while ((getline line <$2) > 0) {
                bytes += length(line) + 1
                lines++
                if (lines == 1) {
                    if (line != "-----BEGIN SSH SIGNATURE-----") good = 0
                    continue
                }
                if (ended || short && line !~ /^-----END/) good = 0
                if (line == "-----END SSH SIGNATURE-----") { ended = 1; continue }
                if (lines == 2 && line !~ /^U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAg/) good = 0 # SSHSIG, version 1, ssh-ed25519
                if (line !~ /^[A-Za-z0-9+\/]+=?=?$/ || length(line) > 70) good = 0
                if (length(line) < 70 || line ~ /=/) short = 1
            }
            close($2)
            if (!good || !ended || lines < 3 || bytes + 0 != $1 + 0) print $2
        }' >"$work/others"
    while read -r path; do : >"$path"; done <"$work/others"
}

# ---------------------------------------------------------------- the files, before any is opened

belongs() { # belongs PATH: may a bundle have a file of this name?
    base=${1##*/}
    case $1 in
    log/leaves | keys/allowed_signers | keys/roots | dice/all.txt) ;;
    log/*.entry) is_number "${base%.entry}" 4 6 ;;
    log/*.salt) is_number "${base%.salt}" 4 6 ;;
    checkpoints/*.txt) is_number "${base%.txt}" 4 6 ;;
    checkpoints/*.sig) is_number "${base%.sig}" 4 6 ;;
    keys/exchange-*.agekey)
        base=${base#exchange-}
        base=${base%.agekey}
        is_number "${base%%.*}" 1 5 && is_word "${base#*.}"
        ;;
    sealed/*.age) is_hash "${base%.age}" ;;
    consents/*.txt) is_hash "${base%.txt}" ;;
    consents/*.sig) is_hash "${base%.sig}" ;;
    keys/allowed_signers.from-*) is_number "${base#allowed_signers.from-}" 1 5 ;;
    rotations/*.by.sig) is_hash "${base%.by.sig}" ;;
    rotations/*.new.sig) is_hash "${base%.new.sig}" ;;
    rotations/*.txt) is_hash "${base%.txt}" ;;
    mix/*.secret.txt) is_number "${base%.secret.txt}" 1 5 ;;
    mix/*.txt) is_number "${base%.txt}" 1 5 ;;
    reports/*/*.txt) is_number "${base%.txt}" 4 6 ;;
    *) return 1 ;;
    esac
}

look_into() { # look_into FOLDER/: list its files; nothing but plain files of known names may be there
    for path in "$1"* "$1".[!.]* "$1"..?*; do
        if [ -L "$path" ]; then
            fault "$path is a link"
        elif [ -d "$path" ]; then
            case $path in
            log | checkpoints | consents | rotations | keys | sealed | mix | dice | reports | papers) look_into "$path/" ;;
            reports/*/*) fault "$path does not belong in a bundle" ;;
            reports/*) if is_word "${path#reports/}"; then look_into "$path/"; else fault "$path does not belong"; fi ;;
            *) fault "$path does not belong in a bundle" ;;
            esac
        elif [ -f "$path" ]; then
            if belongs "$path"; then printf '%s\n' "$path"; else fault "$path does not belong in a bundle"; fi
        elif [ -e "$path" ]; then
            fault "$path is not a plain file"
        fi
        if [ -s "$faults" ]; then return; fi
    done
}

only_files_of_a_bundle_are_in_the_bundle() {
    look_into '' >"$work/names"
    format=
    exchanges=
    all=60000000 # without a genesis that can be read
    most=40000
    if [ ! -s "$faults" ] && [ -f log/0001.entry ] && [ "$(wc -c <log/0001.entry)" -le $LARGEST_FILE ]; then
        read -r word _ <log/0001.entry
        format=$(sed -n '/^format /{s///p;q;}' log/0001.entry)
        if [ "$word" = genesis ] && [ "$format" != $FORMAT ]; then
            stop "this bundle is of the format '$(printf %s "$format" | tr -cd 'a-z0-9._-')'; this script reads format $FORMAT"
        fi
        exchanges=$(sed -n 's/^exchanges //p' log/0001.entry)
        players=$(grep -c '^player ' log/0001.entry)
        if ! is_number "$exchanges" 1 4 || [ "$exchanges" != "${exchanges#0}" ] || [ "$exchanges" -lt 2 ] || [ $((exchanges * players)) -gt 2000 ]; then
            exchanges=2
        fi
        most=$((exchanges * (60 * players + 300)))
        all=$((exchanges * (170000 * players + 160000)))
    fi
    if [ ! -s "$faults" ]; then
        xargs wc -c <"$work/names" | awk -v largest=$LARGEST_FILE -v all=$all -v most=$most '
            $2 == "total" { next }
            { bytes += $1; files++ }
            $1 > largest { print $2 " is larger than a file of a bundle can be" }
            END { if (bytes > all || files > most) print "it is larger than the bundle of this game can be" }' >>"$faults"
    fi
    claim "only files of a bundle are in the bundle"
    [ $refuted = no ] || leave_the_rest 'take away what does not belong, and begin again'
}

derived() { # derived PATH: the bundle lacks it, and what is read follows from what it holds
    mkdir -p "${1%/*}"
    cat >"$1"
    printf '%s\n' "$1" >>"$work/names"
    printf '%s\n' "$1" >>"$work/derived"
}
derive() { # derive PATH: if the bundle lacks it, it is what is read
    if [ -f "$1" ]; then cat >"$work/rest"; else derived "$1"; fi
}
root() { # root NAME
    sed -n "s/^$1 //p" keys/roots
}
are_roots() { # is keys/roots written as its format demands?
    for name in chain secret-chain salt seal; do
        is_hash "$(root $name)" && printf '%s %s\n' $name "$(root $name)"
    done | cmp -s - keys/roots
}
roots=no

prepare_a_copy() { # what is missing and follows from other files is written into it
    mkdir "$work/bundle"
    for path in *; do
        if [ -d "$path" ]; then cp -R "$path" "$work/bundle/" || stop "there is no room for temporary files"; fi
    done
    cd "$work/bundle" || stop "there is no room for temporary files"
    if [ -f keys/roots ] && are_roots; then roots=yes; fi
}

# ---------------------------------------------------------------- the log: leaves, entries, heads

the_log_holds_every_leaf_in_order() {
    for path in log/leaves log/0001.entry; do
        [ -f $path ] || fault "incomplete: $path is missing"
    done
    if [ -f log/leaves ]; then
        awk 'NF != 2 || $1 "" != NR "" || length($2) != 64 || $2 ~ /[^0-9a-f]/ { print "log/leaves, line " NR " is not a leaf" }
            END { if (NR == 0) print "log/leaves is empty" }' log/leaves >>"$faults"
        awk '{ print $1 " " $2 }' log/leaves | cmp -s - log/leaves || fault 'log/leaves is not as it must be'
    fi
    if [ -f log/0001.entry ]; then
        read -r word game rest <log/0001.entry
        if [ "$word" != genesis ] || [ -n "$rest" ] || ! is_word "$game"; then
            fault 'log/0001.entry is not a genesis'
        fi
    fi
    claim 'the log holds every leaf, in order'
}

entries() { awk '{ print "log/" $2 ".entry" }' "$work/present" | xargs cat; }
salts() { awk '{ print "log/" $2 ".salt" }' "$work/present" | xargs cat; }

prepare_the_entries() { # the salts that the bundle lacks, and which entries it opens
    size=$(($(wc -l <log/leaves)))

    read -r _ game _ <log/0001.entry
    if [ $roots = yes ] && is_word "$game"; then # the salts that the bundle lacks
        awk -v size=$size '/^log\/.*\.salt$/ { have[substr($0, 5, length($0) - 9)] = 1 }
            /^log\/.*\.entry$/ { entry[substr($0, 5, length($0) - 10)] = 1 }
            END {
                for (name in entry) {
                    n = name
                    sub(/^0+/, "", n) # to some awks 0010 is eight
                    if (!(name in have) && n + 0 >= 1 && n + 0 <= size) print n, name
                }
            }' \
            "$work/names" | sort >"$work/lacking"
        if [ -s "$work/lacking" ]; then
            awk -v game="$game" -v key="$(root salt)" '{ print key, "pbem1 salt " game, $1 }' "$work/lacking" | hmac |
                paste -d' ' "$work/lacking" - | awk -v names="$work/names" -v derived="$work/derived" '{
                    salt = "log/" $2 ".salt"
                    print $3 >salt
                    close(salt)
                    print salt >>names
                    print salt >>derived
                }'
        fi
    fi

    # present: "number name" of each entry that this bundle opens
    awk -v size=$size -v faults="$faults" '
        /^log\/.*\.entry$/ { entry[substr($0, 5, length($0) - 10)] = 1 }
        /^log\/.*\.salt$/ { salt[substr($0, 5, length($0) - 9)] = 1 }
        END {
            for (n = 1; n <= size; n++) {
                name = sprintf("%04d", n)
                if ((name in entry) + 0 != (name in salt) + 0)
                    print "incomplete: log/" name (name in entry ? ".salt" : ".entry") " is missing" >>faults
                else if (name in entry) print n, name
                delete entry[name]
                delete salt[name]
            }
            for (name in entry) print "log/" name ".entry is an entry that log/leaves does not have" >>faults
            for (name in salt) print "log/" name ".salt is a salt that log/leaves does not have" >>faults
        }' "$work/names" >"$work/present"
}

every_entry_in_the_bundle_fits_its_leaf() {
    salts | awk 'length($0) != 64 || /[^0-9a-f]/ { print "a salt is not 64 hex digits" }' >>"$faults"
    [ "$(salts | wc -c)" -eq $((65 * $(wc -l <"$work/present"))) ] || fault 'a salt is not 64 hex digits'
    [ "$(entries | tr -cd '\000' | wc -c)" -eq 0 ] || fault 'an entry holds the byte 0'
    if [ ! -s "$faults" ]; then
        [ "$(salts | paste -d' ' "$work/present" - | awk -v work="$work" '{
            leaf = work "/leaf/" $1
            entry = "log/" $2 ".entry"
            print "pbem1 leaf " $3 >leaf
            while ((getline line <entry) > 0) {
                bytes += length(line) + 1
                print line >leaf
            }
            close(entry)
            close(leaf)
        }
        END { print bytes + 0 }')" -eq "$(entries | wc -c)" ] || fault 'the last line of an entry has no end'
        awk '{ print $1 }' "$work/present" | (cd "$work/leaf" && xargs sha256sum) |
            awk '!second { leaf[$1] = $2; next }
                $1 "" != leaf[$2] "" {
                    if (first == "") first = "the leaf of entry " $2 ": expected " leaf[$2] ", found " $1
                    else others = others (others == "" ? "" : ", ") $2
                }
                END { if (first != "") print first (others == "" ? "" : "; entries " others " as well") }' \
                log/leaves second=1 - >>"$faults"
    fi
    claim 'every entry in the bundle fits its leaf'
}

the_genesis_is_the_one_that_the_players_joined() {
    head=0000000000000000000000000000000000000000000000000000000000000000
    while read -r n leaf; do
        digest "pbem1 head $game $n $head $leaf"
        head=$digest
        printf '%s %s\n' "$n" "$head"
    done <log/leaves >"$work/heads"
    read -r _ genesis_head <"$work/heads"
    if [ "$pinned" = - ]; then
        open 'the genesis is the one that the players joined' "no head was given to compare it with; it is $genesis_head"
    else
        [ "$pinned" = "$genesis_head" ] || fault "expected $pinned, found $genesis_head"
        claim 'the genesis is the one that the players joined'
    fi
}

# ---------------------------------------------------------------- the entries, line by line

# What each kind of entry holds, line by line: its kind; how often the line stands ("first", as the first line; 1;
# "?", at most once; "*", as often as need be; "each", once for each player); its word; its fields, each "=" and
# what it reads, or its form. What stands in no row may follow, with other words, and means nothing.
forms() {
    cat <<'END'
genesis first genesis word
genesis 1 format any
genesis 1 exchanges number
genesis 1 beacon =none
genesis 1 gm fingerprint
genesis ? recovery =gm fingerprint
genesis ? official name fingerprint
genesis ? drawn word number
genesis ? rated =yes
genesis 1 rules hash
genesis ? mode =after-close
genesis * option any rest
genesis 1 anchor =gm.1 =0 hash
genesis 1 anchor =gm-secret.1 =0 hash
genesis 1 commit =salt-root hash
genesis 1 commit =seal-root hash
genesis each player name fingerprint
genesis 1 side same word
genesis ? anchor same.1 =0 hash
genesis ? recovery same fingerprint
genesis ? chain same number
genesis ? share same hash
open first open number
open ? again number
open 1 rules hash
open * seal name recipient
open ? deadline time
received first received number name =rev number =sealed hash
received 1 at time
refused first refused number name number =sealed hash word
refused 1 at time
close first close number
close 1 at time
close ? deadline time
revealed first revealed number name =sealed hash
revealed 1 at time
resolve first resolve number
resolve * reveal who step hash
resolve * absent who
resolve 1 mix hash
resolve * die number sides label number
extend first extend number
extend 1 deadline time
extend 1 at time
extend * consent name hash number
draw first draw number word label word
report first report number word hash
rules first rules hash
over first over number
act first act number =hold
act first act number =resume
act first act number =look word
act first act number =outage
act first act number =concede word
act first act number =claim word
act first act number =agree-draw
act first act number =roll-back number
act first act number =correct number change
act first act number =go-on release
act 1 at time
act * consent name hash number
act 1 reason reason
rotate first rotate number seat fingerprint
rotate 1 at time
rotate 1 key =ssh-ed25519 key
rotate 1 old fingerprint
rotate ? anchor who =0 hash
rotate ? recovery fingerprint
rotate ? person name
rotate * consent name hash number
rotate ? reason reason
rotate 1 text hash
END
}

every_entry_is_written_as_its_kind_demands() {
    # lines: "number kind exchange first|line|last word field..." of every line of every entry, each entry closed
    # by a line of its own; what is hidden has the kind "hidden". (Of the genesis, the exchange is the game.)
    # raw: "number line" of every line to the byte, and "number" after the last of an entry.
    : >"$work/raw"
    awk -v size=$size -v faults="$faults" -v raw="$work/raw" "$reading"'
        { name[$1] = $2 }
        END {
            for (n = 1; n <= size; n++) {
                kind = "hidden"
                exchange = "-"
                count = 0
                while (n in name && (getline line <("log/" name[n] ".entry")) > 0) {
                    lines++
                    if (line == "" || line ~ /^ | $/ || !is_plain(line)) print "entry " n " is not written as entries are" >>faults
                    print n, line >raw
                    if (count++ == 0) {
                        kind = exchange = "-"
                        if (split(line, f, " ") > 0) kind = f[1]
                        if (kind == "hidden") kind = "hidden." # it is open: of another kind, which means nothing
                        if (f[2] != "") exchange = f[2]
                        sub(/^[^ ]* [^ ]*/, "", line)
                        print n, kind, exchange, "first -" line
                    } else
                        print n, kind, exchange, "line", line
                }
                close("log/" name[n] ".entry")
                if (count == 0 && name[n] != "") print "entry " n " is empty" >>faults
                if (count == 0) print n, kind, exchange, "first -"
                print n, kind, exchange, "last -"
                if (count) print n >raw
            }
        }' "$work/present" >"$work/lines"

    forms >"$work/forms"
    awk '
        function is_hash(text) { return length(text) == 64 && text !~ /[^0-9a-f]/ }
        function is_word(text) { return length(text) <= 64 && text ~ /^[a-z0-9][a-z0-9._-]*$/ }
        function is_count(text) { return length(text) <= 9 && text ~ /^[1-9][0-9]*$/ }
        function is_name(text) { return is_word(text) && length(text) <= 60 && text !~ /^(gm|gm-secret|public|all)$/ }
        function is_release(text) { return text ~ /^rules=/ && is_hash(substr(text, 7)) }
        function is_house_rule(text) {
            return text !~ /^(rules|game)=/ && text ~ /^[a-z][a-z0-9_]*=[A-Za-z0-9._-]+$/ && length(text) - index(text, "=") <= 64
        }
        function is_time(text,  part, last) {
            if (text !~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z$/) return 0
            split(text, part, "[-T:Z]")
            last = part[2] == 2 ? 28 + (part[1] % 4 == 0 && (part[1] % 100 > 0 || part[1] % 400 == 0)) : 30 + (part[2] + (part[2] > 7)) % 2
            return part[1] > 0 && part[2] > 0 && part[2] <= 12 && part[3] > 0 && part[3] <= last && \
                part[4] < 24 && part[5] < 60 && part[6] < 60
        }
        function is_label(text,  part, parts) {
            for (parts = split(text, part, "/"); parts > 0; parts--) if (!is_word(part[parts])) return 0
            return text != "" && length(text) <= 512
        }
        function is(form, text) {
            if (form ~ /^=/) return text "" == substr(form, 2)
            if (form == "hash") return is_hash(text)
            if (form == "number") return is_count(text)
            if (form == "step") return is_count(text) && text + 0 <= 4096
            if (form == "sides") return is_count(text) && text + 0 >= 2 && text + 0 <= 256
            if (form == "word") return is_word(text)
            if (form == "name") return is_name(text)
            if (form == "seat") return text == "gm" || is_name(text)
            if (form == "who") return is_word(text) && text ~ /.[.][1-9][0-9]?[0-9]?$/
            if (form == "label") return is_label(text)
            if (form == "time") return is_time(text)
            if (form == "fingerprint") return text ~ /^SHA256:[A-Za-z0-9+\/]+$/ && length(text) == 50
            if (form == "recipient") return text ~ /^age1[02-9ac-hj-np-z]+$/ && length(text) == 62
            if (form == "key") return text ~ /^AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+\/]+$/ && length(text) == 68
            if (form == "release") return is_release(text)
            if (form == "change") return is_release(text) || is_house_rule(text)
            if (form == "same") return text "" == player
            if (form == "same.1") return text "" == player ".1"
            return form == "any"
        }
        function reads(row, text,  form, forms, field, i) { # does the text read as this row?
            forms = split(fields[row], form, " ")
            i = split(text, field, " ")
            if (i < forms || i > forms && fields[row] !~ /(rest|reason)$/) return 0
            for (i = 1; i <= forms; i++) {
                if (form[i] == "rest") return 1
                if (form[i] == "reason") { # a letter may be of several bytes
                    gsub(/[\200-\277]/, "", text)
                    return length(text) <= 507
                }
                if (!is(form[i], field[i])) return 0
            }
            return text !~ /  /
        }
        function fault(why) {
            if (!told) print "entry " number ": " why 
            told = 1
        }
        function row_of(line,  r) { # the row that the line stands in, none that must be there passed over; 0: there is none
            for (r = row; kinds[r] "" == kind ""; r++) {
                if (reads(r, line)) return r
                if (often[r] ~ /^(1|each)$/) return 0
            }
            return row && kinds[each] "" == kind "" && reads(each, line) ? each : 0
        }
        function finish() { # nothing that is known may follow, and nothing may be lacking
            for (; row && kinds[row] "" == kind ""; row++) if (often[row] ~ /^(1|each)$/) fault("it has no line " word[row])
            row = 0
        }
        BEGIN { kinds[0] = "" }
        !second {
            kinds[NR] = $1
            often[NR] = $2
            word[NR] = $3
            if (!($1 in start)) start[$1] = NR
            if ($2 != "first") has[$1, $3] = 1
            if ($2 == "each") each = NR
            fields[NR] = "=" $3
            for (i = 4; i <= NF; i++) fields[NR] = fields[NR] " " $i
            next
        }
        { line = substr($0, length($1) + 2) }
        $1 + 0 != number + 0 { # the first of an entry
            number = $1
            told = 0
            kind = $2
            row = kind in start ? start[kind] : 0
            while (row && often[row] == "first" && !reads(row, line)) row++
            if (!is_word(kind) || row && (kinds[row] "" != kind "" || often[row] != "first"))
                fault("an entry cannot begin with " line)
            while (often[row] == "first") row++
            next
        }
        NF == 1 { finish(); next } # the end of the entry
        {
            found = row_of(line)
            if (found) {
                if (often[found] == "each") player = $3
                row = found + (often[found] != "*")
            } else {
                if ((kind, $2) in has) fault("this cannot stand there in a " kind ": " line)
                finish()
            }
        }' "$work/forms" second=1 "$work/raw" >>"$faults"
    claim 'every entry is written as its kind demands'
}

table() { # table NAME PROGRAM: what the program prints of the lines
    awk "$2" "$work/lines" >"$work/$1"
}

prepare_the_tables() {
    table players '
        $2 != "genesis" { next }
        $5 == "player" { order[++count] = $6; print_of[$6] = $7 }
        $5 == "side" { side[$6] = $7 }
        $5 == "anchor" { anchor[$6] = $8 }
        END {
            for (i = 1; i <= count; i++) {
                who = order[i]
                print who, print_of[who], side[who], ((who ".1") in anchor ? anchor[who ".1"] : "-")
            }
            print "gm", "-", "-", anchor["gm.1"]
            print "gm-secret", "-", "-", anchor["gm-secret.1"]
        }'
    table gm '$2 == "genesis" && $5 == "gm" { print "gm", $6, "-" }'                        # name fingerprint
    table official '$2 == "genesis" && $5 == "official" { print $6, $7, "-" }'             # name fingerprint
    table seals '$2 == "open" && $5 == "seal" { print $3, $6, $7, $1 }'                   # exchange player recipient number
    table files '$2 == "received" && $4 == "first" { print $3, $6, $8, $10, $1 }'         # exchange player rev sha256 number
    table closed '$2 == "close" && $4 == "first" { print $3, $1 }'                        # exchange number
    table late '$2 == "revealed" && $4 == "first" { print $3, $6, "-", $8, $1 }'          # exchange player - sha256 number
    table anchors '($2 == "genesis" || $2 == "rotate") && $5 == "anchor" { print $6, $8 }' # who value
    table consents '                                                                      # sha256 exchange name seen number what...
        $2 !~ /^(act|rotate|extend)$/ { next }
        $4 == "first" { count = 0; to = $2 == "act" ? $6 ($7 == "" ? "" : " " $7) ($8 == "" ? "" : " " $8) : "rotate " $6 }
        $2 == "extend" && $5 == "deadline" { to = "extend " $6 }
        $5 == "consent" { given[++count] = $7 " " $3 " " $6 " " $8 " " $1 }
        $2 == "rotate" && $5 == "text" { to = to " " $6 }
        $4 == "last" { for (i = 1; i <= count; i++) print given[i], to }'
    table rotations '       # sha256 number exchange name first-exchange consents recovery new old key
        $2 != "rotate" { next }
        $4 == "first" { name = $6; new = $7; recovery = "none"; consents = own = 0 }
        $5 == "key" { key = $6 " " $7 }
        $5 == "old" { old = $6 }
        $5 == "text" { text = $6 }
        $5 == "recovery" { recovery = $6 }
        $5 == "consent" { consents++; if ($6 "" == name "") own = 1 }
        $4 == "last" { print text, $1, $3, name, $3 + (consents && !own ? 2 : 1), consents, recovery, new, old, key }'
    table refused '$2 == "refused" && $4 == "first" { print $7, $6, "refused", $9, $1, $10 }' # of player - sha256 number reason
    table opened '$2 == "open" && $4 == "first" { print $3, $1 }'                         # exchange number
    table resolved '$2 == "open" && $5 == "again" { again[$3] = 1 }
        $2 == "resolve" && $5 == "mix" && !($3 in again) { print $3, $6 }'                # exchange sha256
    table reveals '$2 == "genesis" && $5 == "share" { share[$6 ".1"] = 1 }
        $2 == "resolve" && $5 == "reveal" && !($7 == 1 && $6 in share) { print $6, $7, $8 }'     # who step value
    table dice '$2 == "resolve" && $5 == "die" { print $6, $7, $8, $9 }'                  # exchange sides label value
    table reports '$2 == "report" && $4 == "first" { print $3, $6, $7 }'                  # exchange audience sha256
    table signed '$2 == "open" && $5 == "seal" { asks = $1 }
        $4 == "last" && ($2 == "over" || $2 == "open" && $1 + 0 == asks + 0) { print $1 }'         # number that must be signed
    table sent '$2 == "genesis" && $5 == "drawn" { call = $6 "." $7 }
        $2 == "genesis" && $5 == "chain" { print $6 ".1=" call "." $7 }'                     # chain=name of its links
    sent=" $(tr '\n' ' ' <"$work/sent")"
}

the_entries_follow_each_other_as_the_protocol_demands() {
    # The order of entries, and whose consent an act of the game master has. What breaks another claim is noted for it.
    awk -v size=$size -v game="$game" -v exchanges="$exchanges" -v faults="$faults" -v work="$work" '
        function fault(why) { end("entry " number ": " why) }
        function lose(what) { end("incomplete: " what) }
        function end(why) { # what follows does not fit, and proves nothing
            if (!ended) print why >>faults
            ended = 1
            exit
        }
        function place(allowed, now) { # may it stand here, and what is the stage then?
            if (stage == "resolved" && hidden && kind != "open" && $3 + 0 == exchange + 1)
                lose("the entry that opens exchange " exchange + 1 " is missing")
            if (allowed !~ stage || (kind !~ /^(open|rules)$/ && $3 "" != exchange "")) fault("a " kind " cannot stand here")
            stage = now
        }
        function breaks(name, why) { # another claim than this one
            print "entry " number ": " why >>(work "/noted." name)
        }
        function clear(array,  i) { for (i in array) delete array[i] }
        function count_file(player, extra) { # as many as its player may have; extra: one more is kept for this exchange
            if (2 * exchanges - entered[player]++ - (exchanges - exchange) - extra < 1 || 16 - here[player]++ - extra < 1)
                fault("no more files of " player " may be entered")
        }
        function count_act() { if (++acts > 16) fault("there are more such entries than an exchange can have") }
        function two(time, at) { return ("1" substr(time, at, 2)) - 100 } # to some awks 010 is eight, and 08 nothing
        function seconds(time,  y, m) {
            y = ("1" substr(time, 1, 4)) - 10000 # numbers: text would be compared as text
            m = two(time, 6)
            if (m < 3) { y--; m += 12 }
            y = 365 * y + int(y / 4) - int(y / 100) + int(y / 400) + int((153 * (m - 3) + 2) / 5) + two(time, 9)
            return ((y * 24 + two(time, 12)) * 60 + two(time, 15)) * 60 + two(time, 18)
        }
        function all_consent(  i) {
            for (i = 1; i <= players; i++) if (!(order[i] in gone || order[i] in consent)) return 0
            return 1
        }
        function remaining(  i, count) { # how many still play
            for (i = 1; i <= players; i++) count += !(order[i] in gone)
            return count
        }
        function put_right() { # by what the game is played from now on
            if (in_force[change[1]] "" == change[2] "") fault("by " change[2] " it is played already")
            in_force[change[1]] = change[2]
        }
        function silence(player,  i, count) { # for how many exchanges in a row, this one not counted
            if ((exchange, player) in heard) return 0
            for (i = exchange - 1; i >= 1 && i >= starts[player] + 0; i--) {
                if (i in void || i in source || (i == 1 && drawn)) continue
                if ((i, player) in heard) return count
                if (!(i in outage)) count++
            }
            return count
        }
        function line_of(player, exchange,  i) { # the chain by which a mix names a player
            for (i = chains[player]; i > 0; i--) if (announced[player, i] + 2 <= exchange) return chain[player, i]
            return player ".1"
        }
        function note_vanished(player, exchange) { # whose seat others have given away, and who has sent nothing
            if (given_away[player] > exchange && silent[player]) vanished[player] = 1
            else delete vanished[player]
        }
        function chain_of(player, exchange,  i) { # the chain that he reveals from; "-" if none is in force
            for (i = chains[player]; i > 0; i--)
                if (announced[player, i] + 0 < exchange + 0)
                    return announced[player, i] + 2 <= exchange ? chain[player, i] : "-"
            return (player ".1") in native ? player ".1" : "-"
        }
        BEGIN {
            stage = "start"
            ours = "^(genesis|open|received|refused|extend|rules|close|revealed|resolve|draw|report|over|act|rotate|hidden)$"
        }
        { number = $1; kind = $2; first = $4 == "first"; last = $4 == "last" }
        first {
            clear(once)
            at = ""
            excused = 0
            if ((number == 1) + 0 != (kind == "genesis") + 0) fault("a " kind " cannot stand here")
            if (stage == "over") fault("the game is over")
        }
        $4 == "line" && $5 ~ /^(option|player|seal|reveal|absent|absence|consent)$/ {
            if (once[$5 " " $6]++) fault("it has two lines " $5 " " $6)
        }
        $5 == "at" && kind != "genesis" {
            at = $6
            if (at < clock) breaks("times", "it is dated " at ", earlier than an entry before it")
            clock = at
        }

        $5 == "at" && patient != "" { # a resolve entry is not dated: what is entered next shows when it was
            if (at < patient) breaks("times", "exchange " exchange " was resolved before its deadline, without all reveals")
            patient = ""
        }
        kind == "hidden" && first && stage != "resolved" {
            lose(sprintf("log/%04d.entry is missing: what stands there is open to all", number))
        }
        kind == "hidden" && first { hidden++ }

        kind == "genesis" && $5 == "exchanges" {
            most = $6
            if (most < 2) fault("it has too few exchanges")
        }
        kind == "genesis" && last && most * players > 2000 { fault("it has too many exchanges") }
        kind == "genesis" && $5 == "mode" { after_close = 1 }
        kind == "genesis" && $5 == "player" {
            order[++players] = $6
            plays[$6] = 1
        }
        kind == "genesis" && $5 == "official" { official = $6 }
        kind == "genesis" && $5 == "drawn" {
            drawn = 1
            if ($6 !~ /^league[.]/) fault($6 " is no league")
        }
        kind == "genesis" && $5 == "chain" { sent_with[$6 ".1"] = 1 }
        kind == "genesis" && $5 == "share" { share[$6 ".1"] = $7 } # what they contribute to exchange 1
        kind == "genesis" && last {
            for (who in native) if (who !~ /^gm(-secret)?[.]1$/ && drawn + 0 != (who in sent_with) + 0) fault("the chain of " who " is not one that was sent")
            for (who in share) if (!(who in sent_with)) fault("the share of " who " is of no chain that was sent")
            for (who in sent_with) if (!drawn || !(who in native) || !(who in share)) fault("the chain of " who " is not one that was sent")
        }
        kind == "genesis" && $5 == "anchor" { anchored[$6] = native[$6] = 1 }

        kind == "open" && first {
            place("start resolved void again", "open")
            if (++exchange + 0 != $3 + 0) fault("exchange " $3 " is opened out of turn")
            if (exchange > most) fault("the game has " most " exchanges at most")
            seals = paused = again = acts = more_time = 0
            nobody = drawn && exchange == 1 # their steps came with the answers to its call
            clear(here)
            clear(asked)
            clear(renewed)
            deadline = ""
            clear(rev)
            clear(sent)
            clear(received)
        }
        kind == "open" && $5 == "seal" {
            seals++
            asked[$6] = waited[exchange, $6] = 1
            if (!($6 in plays) || $6 in gone) fault("it seals for " $6 ", who does not play")
        }
        kind == "open" && $5 == "deadline" { deadline = $6 }
        kind == "open" && $5 == "again" { again = source[exchange] = $6; nobody = 1 }
        kind == "open" && last {
            if (again + 0 != due_again + 0) fault("an exchange is played again after a correction, and only then")
            if (seals + 0 != (nobody ? 0 : remaining())) fault("an exchange is opened for everybody who plays")
            if ((deadline == "") + 0 != (nobody > 0) + 0) breaks("times", "it names no deadline")
            if (nobody) stage = "replayed"
            due_again = 0
            clear(vanished)
            for (i = 1; i <= players; i++) note_vanished(order[i], exchange)
            for (i = 1; i <= players; i++) print exchange, order[i], chain_of(order[i], exchange) >(work "/chains")
        }

        kind == "received" && first {
            place("open", "open")
            if (!($6 in asked)) fault($6 " does not play")
            if ($10 in known) breaks("once", "the file " $10 " was received before")
            if (($6 " " $8) in rev) breaks("once", "revision " $8 " of " $6 " was received before")
            count_file($6, 0)
            known[$10] = rev[$6 " " $8] = sent[$6] = received[$6] = heard[exchange, $6] = 1
        }
        kind == "refused" && first {
            place("open closed", stage)
            if (!($6 in asked) || !(($7, $6) in waited) || $7 > exchange || $7 < exchange - 2)
                fault("exchange " $7 " waits for nothing of " $6)
            if ($9 in known) breaks("once", "the file " $9 " was entered before")
            known[$9] = 1
            count_file($6, !($6 in received))
        }
        kind == "extend" && first {
            place("open", "open")
            count_act()
            agreed = 0
            clear(consent)
        }
        kind == "rules" && first { place("open", "open"); count_act(); in_force["rules"] = $3 }
        kind == "genesis" && $5 == "rules" { in_force["rules"] = $6 }
        kind == "genesis" && $5 == "option" { in_force[$6] = $7 }
        kind == "open" && $5 == "rules" && $6 "" != in_force["rules"] "" { breaks("rules", "it is opened under other rules than are in force") }
        (kind == "open" || kind == "extend") && $4 == "line" && $5 == "absence" {
            if (NF != 7 || !($6 in plays) || $7 !~ /^[1-9][0-9]*$/ || length($7) > 8)
                fault("a line absence names no player and seconds")
            excused += $7
            if ((away[$6] += $7) > 42 * 86400) fault("absences of " $6 " move deadlines by more than 42 days")
        }
        kind == "extend" && $5 == "deadline" { longer = $6 }
        kind == "extend" && $5 == "consent" {
            consent[$6] = agreed = 1
            if (!($6 in plays) || $6 in gone) fault($6 " has no say in it")
        }
        kind == "extend" && last && agreed {
            if (more_time++) fault("the players have agreed on more time in exchange " exchange " before")
            if (!all_consent()) fault("more time lacks consent")
            if (on_hold != "" || paused) fault("exchange " exchange " was on hold: nobody agrees on its deadline")
        }
        kind == "extend" && last {
            if (seconds(at) > seconds(deadline) + paused) breaks("times", "exchange " exchange " is extended after its deadline")
            if (excused && seconds(longer) - seconds(deadline) > excused)
                fault("the deadline of exchange " exchange " is moved by more than the absences that it names")
            if (longer <= deadline) breaks("times", "the deadline of exchange " exchange " is moved to an earlier one")
            deadline = longer
        }
        kind == "close" && first { place("open replayed", "closed"); waits = "" }
        kind == "close" && last && !nobody {
            for (i = 1; i <= players; i++)
                if (order[i] in asked && !(order[i] in sent || order[i] in gone || order[i] in vanished) && seconds(at) < seconds(deadline) + paused)
                    breaks("times", "exchange " exchange " is closed before its deadline, without " order[i])
            for (i = 1; i <= players; i++) silent[order[i]] = !(order[i] in sent)
            if (after_close) clear(sent)
        }
        kind == "close" && $5 == "deadline" { waits = $6 }
        kind == "close" && last && after_close && !nobody && waits == "" { breaks("times", "it names no deadline for the reveals") }
        kind == "revealed" && first {
            place("closed", "closed")
            if (!after_close || nobody || !($6 in asked)) fault("no reveal of " $6 " is due")
            if ($6 in sent) breaks("once", "the reveal of " $6 " was received before")
            sent[$6] = 1
        }

        kind == "resolve" && first { place("closed", "resolved"); hidden = 0; clear(value); clear(absent); mix = "" }
        kind == "resolve" && $5 == "reveal" {
            value[$6] = $8
            if ($7 + 0 != exchange + 0) breaks("steps", "it reveals step " $7 " of " $6 ", not step " exchange)
            if (!($6 in anchored) || $6 == "gm-secret.1") breaks("steps", "it reveals " $6 ", which is not a chain of this game")
            if (exchange + 0 == 1 && $6 in share && $8 "" != share[$6] "") breaks("steps", "what " $6 " contributes to exchange 1 is not what genesis says")
        }
        kind == "resolve" && $5 == "absent" { absent[$6] = 1 }
        kind == "resolve" && $5 == "mix" { mix = $6 }
        kind == "resolve" && $5 == "die" {
            if ($6 + 0 != (again ? again : exchange) + 0) breaks("dice", "it has a die of another exchange")
            if ($8 in used) breaks("dice", "the label is used twice: " $8)
            used[$8] = exchange
        }
        kind == "resolve" && last && again {
            for (who in value) breaks("shares", "exchange " exchange " is played again, and yet reveals something of " who)
            for (who in absent) breaks("shares", "exchange " exchange " is played again, and names " who " as absent")
            if (mix "" != mixed[again] "") breaks("mixes", "exchange " exchange " plays exchange " again " again, and has another mix")
            finished[exchange] = 1
        }
        kind == "resolve" && last && !again {
            mixed[exchange] = mix
            finished[exchange] = 1
            if (!("gm.1" in value)) breaks("shares", "the judge reveals nothing")
            clear(named)
            for (i = 1; i <= players; i++) {
                named[who = line_of(order[i], exchange)] = 1
                due = chain_of(order[i], exchange) != "-" && (order[i] in sent || nobody)
                if (after_close && chain_of(order[i], exchange) != "-" && !due && !(order[i] in gone)) patient = waits
                if (due + 0 != (who in value) + 0 || due + 0 == (who in absent) + 0)
                    breaks("shares", "who contributed to exchange " exchange " is not who sent: " order[i])
                player_line[i] = "player " who " " (who in value ? value[who] : "-")
            }
            for (who in value) if (who != "gm.1" && !(who in named)) breaks("shares", "it reveals " who ", which is not due")
            for (who in absent) if (!(who in named)) breaks("shares", who " does not play")
            write_mix()
        }
        function write_mix(  i, j, swap, file) { # what the mix file has to be: the players in byte order
            for (i = 2; i <= players; i++)
                for (j = i; j > 1 && player_line[j] < player_line[j - 1]; j--) {
                    swap = player_line[j]; player_line[j] = player_line[j - 1]; player_line[j - 1] = swap
                }
            file = work "/mix/" exchange ".txt"
            printf "pbem1 mix\ngame %s\nexchange %s\ngm %s\n", game, exchange, value["gm.1"] >file
            for (i = 1; i <= players; i++) print player_line[i] >file
            print "beacon -" >file
            close(file)
        }

        kind == "draw" && first {
            place("resolved", "resolved")
            if (told + 0 == exchange + 0) fault("a draw cannot stand here")
        }
        first && kind !~ ours && stage !~ /^(open|closed|replayed|resolved)$/ { fault("a " kind " cannot stand here") }
        kind == "report" && first { place("resolved", "resolved"); told = exchange }
        kind == "over" && first {
            if (left_at + 0 == number - 1) stage = "ended" # the rules may say so when a player leaves
            place("resolved ended", "over")
        }

        kind == "rotate" && first {
            place("open closed", stage)
            if (!($6 in plays) && $6 != "gm") fault($6 " does not play")
            player = $6
            if (++renewed[player] > 2) fault(player " has had 2 new keys in this exchange")
            clear(consent)
            person = renews = fresh = given = why = ""
        }
        kind == "rotate" && $5 == "consent" {
            consent[$6] = given = 1
            if (!($6 in plays) && $6 "" != official "") fault($6 " has no say in it")
        }
        kind == "rotate" && $5 == "person" { person = $6 }
        kind == "rotate" && $5 == "reason" { why = $6 }
        kind == "rotate" && $5 == "recovery" { renews = 1 }
        kind == "rotate" && $5 == "anchor" {
            due = player "." (chains[player] + 1 + ((player ".1") in native))
            if ($6 "" != due "") fault("its anchor is none: the next chain of " player " is " due)
            fresh = $6
        }
        kind == "rotate" && last && player == "gm" {
            if (person renews fresh given != "") fault("the new key of the judge is a key and nothing else")
        }
        kind == "rotate" && last && player != "gm" {
            others = remaining() > !(player in gone)
            for (i = 1; i <= players; i++)
                if (order[i] "" != player "" && !(order[i] in gone || order[i] in consent)) others = 0
            if (given ? !(player in consent || official in consent || others) : person renews != "")
                fault("the new key of " player " lacks consent")
            if (given && why == "") fault("it gives no reason")
            if (starts[player] > exchange + 1) fault("a new key of " player " is on its way already")
            others = given && !(player in consent)
            starts[player] = exchange + (others ? 2 : 1)
            if (others) given_away[player] = starts[player]
            if (stage == "open") note_vanished(player, exchange)
            if (fresh != "") {
                chain[player, ++chains[player]] = fresh
                announced[player, chains[player]] = exchange
                anchored[fresh] = 1
            }
            if (person != "") {
                if (fresh == "" && chain_of(player, exchange) != "-") fault(person " needs a chain of their own")
                if (person "" == official "") fault(person " cannot take this seat")
                for (i = 1; i <= players; i++)
                    if (order[i] "" != player "" && (person "" == order[i] "" || person "" == sits[order[i]] ""))
                        fault(person " cannot take this seat")
                sits[player] = person
            }
        }
        kind ~ /^(close|resolve)$/ && first && on_hold != "" { fault("the game is on hold") }
        kind ~ /^(refused|act|rotate)$/ && first && nobody { fault("a " kind " cannot stand here") }
        kind == "act" && first {
            place("open closed", stage)
            what = $6
            of = $7
            split(what == "go-on" ? $7 : $8, change, "=") # name and value
            clear(consent)
        }
        kind == "act" && $5 == "consent" {
            consent[$6] = 1
            if ((!($6 in plays) || $6 in gone) && $6 "" != official "") fault($6 " has no say in it")
        }
        kind == "act" && last {
            if (what == "hold" || what == "look") count_act()
            if (what == "hold" && on_hold == "") on_hold = at
            else if (what == "resume" && on_hold != "") {
                paused += seconds(at) - seconds(on_hold)
                on_hold = ""
            } else if (what == "agree-draw") {
                if (!all_consent()) fault(what " lacks consent")
                stage = "ended"
            } else if (what == "concede" || what == "claim") {
                if (!(of in plays) || of in gone) fault(of " does not play")
                if (what == "concede" && !(of in consent)) fault("concede lacks consent")
                if (what == "claim") {
                    for (i = 1; i <= players; i++)
                        if (order[i] "" != of "" && !(order[i] in gone || order[i] in consent)) fault("claim lacks consent")
                    if (on_hold != "") fault("the game is on hold")
                    if (exchange in outage) fault("mail has failed in exchange " exchange)
                    if (silence(of) < 2) fault(of " has not been silent for 2 exchanges and this one")
                }
                gone[of] = exchange
                left_at = number
                if (remaining() == 1) stage = "ended"
            } else if (what == "go-on") {
                if (!all_consent()) fault(what " lacks consent")
                put_right()
            } else if (what == "roll-back" || what == "correct") {
                if (!all_consent() && (change[1] == "rules" || !(official in consent))) fault(what " lacks consent")
                set_up = 1 # the first that is not void
                while (set_up in void) set_up++
                if (of + 0 > exchange + 0 || of in void || (what == "correct" ? !(of in finished) : of + 0 == set_up + 0))
                    fault("there is no exchange " of " to " what)
                if (exchange + (what == "correct" ? 2 : 1) > most) fault("the game has " most " exchanges at most")
                if (what == "correct") {
                    due_again = of in source ? source[of] : of
                    put_right()
                }
                for (i = of + 0; i <= exchange; i++) void[i] = 1
                for (label in used) if (used[label] in void) delete used[label]
                for (player in gone) if (gone[player] in void) delete gone[player]
                stage = what == "correct" ? "again" : "void"
                on_hold = ""
            } else if (what == "outage") {
                if (on_hold != "") fault("the game is on hold")
                if (stage != "open" || deadline == "" || seconds(at) < seconds(deadline) + paused)
                    fault("exchange " exchange " does not wait past its deadline")
                if (exchange in outage) fault("exchange " exchange " has an outage already")
                outage[exchange] = 1
            } else if (what != "look") fault(what " cannot stand here")
        }
        END {
            print stage, (after_close ? "after-close" : "with-orders"), exchange + 0 >(work "/stage")
            if (kind == "hidden") lose(sprintf("log/%04d.entry is missing: an exchange is opened, or the game is over", number))
        }' "$work/lines"
    claim 'the entries follow each other as the protocol demands'
    read -r stage mode latest <"$work/stage"
}

every_exchange_was_opened_under_the_rules_that_were_in_force() {
    also rules
    claim 'every exchange was opened under the rules that were in force'
}

no_exchange_was_closed_early_extended_late_or_received_after_its_close() {
    also times
    claim 'no exchange was closed early, extended late or received after its close'
}

no_order_file_and_no_revision_was_received_twice() {
    also once
    claim 'no order file and no revision was received twice'
}

# ---------------------------------------------------------------- keys and checkpoints

print_of() { # print_of FILE: the fingerprint of a public key
    ssh-keygen -l -f "$1" 2>/dev/null | awk '{ print $2 }'
}
check_signer() { # check_signer NAME FINGERPRINT NAMESPACES: the next line of keys/allowed_signers
    IFS= read -r line <&3
    key=${line#"$1@$game namespaces=\"$3\" ssh-ed25519 "}
    case $key in
    '' | *[!A-Za-z0-9+/]*)
        fault "the line of $1 in keys/allowed_signers is not as it must be"
        return
        ;;
    esac
    printf 'ssh-ed25519 %s\n' "$key" >"$work/key.pub"
    found=$(print_of "$work/key.pub")
    [ "$found" = "$2" ] || fault "the key of $1: expected $2, found $found"
    printf '%s\n' "$line" >>"$work/signers"
}

the_keys_are_those_of_the_genesis() {
    : >"$work/signers"
    if [ -f keys/allowed_signers ]; then
        exec 3<keys/allowed_signers
        check_signer gm "$(awk '{ print $2 }' "$work/gm")" \
            pbem1-checkpoint,pbem1-receipt,pbem1-report,pbem1-rotate
        while read -r name print _; do
            [ "$print" = - ] || check_signer "$name" "$print" pbem1-orders,pbem1-rotate
        done <"$work/players"
        read -r official print _ <"$work/official"
        [ -z "$official" ] || check_signer "$official" "$print" pbem1-orders
        exec 3<&-
    fi
    if [ ! -f keys/allowed_signers ]; then
        fault 'incomplete: keys/allowed_signers is missing'
    elif ! cmp -s "$work/signers" keys/allowed_signers; then
        fault 'keys/allowed_signers holds something else'
    fi
    claim 'the keys are those of the genesis'
}

signed() { # signed NAME NAMESPACE SIGNATURE FILE [EXCHANGE]: has NAME signed it for this, with the key of that time?
    signers=$work/signers
    while read -r start; do
        if [ "${5:-0}" -ge "$start" ]; then signers=$work/signers.$start; fi
    done <"$work/starts"
    [ -s "$3" ] && ssh-keygen -Y verify -f "$signers" -I "$1@$game" -n "$2" -s "$3" <"$4" >/dev/null 2>&1
}
judged() { # judged SIZE SIGNATURE FILE: has the judge signed this head, with his key for a ledger of this size?
    judge=$work/signers
    while read -r number _; do
        if [ "$1" -ge "$number" ]; then judge=$work/judge.$number; fi
    done <"$work/judges"
    [ -s "$2" ] && ssh-keygen -Y verify -f "$judge" -I "gm@$game" -n pbem1-checkpoint -s "$2" <"$3" >/dev/null 2>&1
}
receipted() { # receipted EXCHANGE SIGNATURE FILE: has the judge signed this receipt, with a key that was his then?
    if signed gm pbem1-receipt "$2" "$3" "$1"; then return 0; fi
    while read -r number exchange; do
        if [ "$exchange" = "$1" ] && [ -s "$2" ] && ssh-keygen -Y verify -f "$work/judge.$number" -I "gm@$game" \
            -n pbem1-receipt -s "$2" <"$3" >/dev/null 2>&1; then return 0; fi
    done <"$work/judges"
    return 1
}
signer_of() { # signer_of NAMESPACE SIGNATURE FILE: the fingerprint of whoever has signed it for this
    [ -s "$2" ] && ssh-keygen -Y check-novalidate -n "$1" -s "$2" <"$3" 2>/dev/null | sed -n 's/^Good .* key //p'
}

every_new_key_is_signed_by_the_one_before_it() { # the audit says of each new key whose it is, why, and that it is signed
    sed -n '/\.sig$/p' "$work/names" >"$work/signatures"
    blank_others "$work/signatures"
    # New keys, in the order of the ledger: signers.5 is who signs from exchange 5 on, judge.30 the judge's key from
    # entry 30 on.
    : >"$work/starts"
    : >"$work/judges"
    awk '$2 != "-" { print $1, $2 }' "$work/players" >"$work/current"
    awk '$2 == "genesis" && $5 == "gm" { print "gm", $6 }' "$work/lines" >>"$work/current"
    awk '$2 == "genesis" && $5 == "recovery" { print $6, $7 }' "$work/lines" >"$work/recoveries"
    while read -r sha256 number exchange name start consents recovery new old key; do
        text=rotations/$sha256.txt
        {
            printf 'pbem1 rotate\ngame %s\ngenesis %s\nplayer %s\n' "$game" "$genesis_head" "$name"
            printf 'exchange %s\nold %s\nnew %s\n' "$exchange" "$old" "$key"
            for word in anchor recovery person; do
                awk -v n="$number" -v word=$word '
                    $1 + 0 == n + 0 && $5 "" == word "" { print $5, $6 ($7 == "" ? "" : " " $7 " " $8) }' "$work/lines"
            done
        } >"$work/text"
        derive "$text" <"$work/text"
        cmp -s "$work/text" "$text" || fault "$text is not what $name signs"
        [ "$(sha256sum <"$text")" = "$sha256  -" ] || fault "the hash of $text is another"
        printf '%s\n' "$key" >"$work/key.pub"
        [ "$(print_of "$work/key.pub")" = "$new" ] || fault "the new key of $name is not $new"
        if [ ! -f "rotations/$sha256.new.sig" ]; then
            fault "incomplete: rotations/$sha256.new.sig is missing"
        elif [ "$(signer_of pbem1-rotate "rotations/$sha256.new.sig" "$text")" != "$new" ]; then
            fault "$text is not signed by the new key of $name"
        fi
        [ "$(awk -v name="$name" '$1 "" == name "" { print $2 }' "$work/current")" = "$old" ] ||
            fault "$old is not the key of $name"
        [ "$new" != "$old" ] || [ "$name" = gm ] || grep -q '^anchor ' "$work/text" || fault "in the new key of $name nothing is new"
        spare=$(awk -v name="$name" '$1 "" == name "" { print $2 }' "$work/recoveries")
        by=rotations/$sha256.by.sig
        if [ "$consents" -gt 0 ]; then # they are checked below
            [ ! -f "$by" ] || fault "$by is there beside consents"
            awk -v name="$name" -v new="$recovery" '$1 "" != name "" { print } END { print name, new }' "$work/recoveries" \
                >"$work/later"
            cat "$work/later" >"$work/recoveries"
        elif [ ! -f "$by" ]; then
            fault "incomplete: $by is missing"
        else
            [ "$(signer_of pbem1-rotate "$by" "$text")" = "$old" ] ||
                [ "$(signer_of pbem1-recover "$by" "$text")" = "${spare:-none}" ] ||
                fault "$text is signed neither by the old key of $name nor by the recovery key"
        fi
        awk -v name="$name" -v new="$new" '$1 "" == name "" { $2 = new } { print }' "$work/current" >"$work/later"
        cat "$work/later" >"$work/current"
        if [ "$name" = gm ]; then
            awk -v who="gm@$game" -v key="$key" '$1 "" == who "" { print $1, $2, key }' "$work/signers" >"$work/judge.$number"
            printf '%s %s\n' "$number" "$exchange" >>"$work/judges"
        fi
        printf '%s\n' "$start" >>"$work/unsorted"
    done <"$work/rotations"
    if [ -s "$faults" ] || [ -s "$work/rotations" ]; then
        claim 'every new key is signed by the one before it, or by the recovery key, or came by consent'
    fi
}

belong() { # belong PATTERN: names that fit it and are not among those that are read belong to no new key
    awk -v pattern="$1" '!second { due[$1] = 1; next } $0 ~ pattern && !($0 in due) { print $0 " belongs to no new key" }' \
        - second=1 "$work/names" >>"$faults"
}

after_every_new_key_the_bundle_says_who_signs_from_then_on() {
    if [ -f "$work/unsorted" ]; then sort -un "$work/unsorted" >"$work/starts"; fi
    while read -r start; do
        awk -v start="$start" -v game="$game" '
            !second { if ($5 <= start) key[$4 "@" game] = $10 " " $11; next }
            $1 in key { $0 = $1 " " $2 " " key[$1] }
            { print }' "$work/rotations" second=1 "$work/signers" >"$work/signers.$start"
        derive "keys/allowed_signers.from-$start" <"$work/signers.$start"
        cmp -s "$work/signers.$start" "keys/allowed_signers.from-$start" ||
            fault "keys/allowed_signers.from-$start is not who signs then"
    done <"$work/starts"
    sed 's/^/keys\/allowed_signers.from-/' "$work/starts" | belong '^keys/allowed_signers[.]from-'
    if [ -s "$faults" ] || [ -s "$work/starts" ]; then claim 'after every new key the bundle says who signs from then on'; fi
}

every_rotation_in_the_bundle_belongs_to_an_entry() {
    awk '{ name = "rotations/" $1; print name ".txt"; print name ".new.sig"; if (!$6) print name ".by.sig" }' \
        "$work/rotations" | belong '^rotations/'
    if [ -s "$faults" ]; then claim 'every rotation in the bundle belongs to an entry'; fi
}

every_checkpoint_is_signed_by_the_judge_and_fits_the_log() {
    awk '!second { head[$1] = $2; next }
        /^checkpoints\// { name = substr($0, 13, length($0) - 16); if (/txt$/) have[name] = 1; else signed[name] = 1 }
        END {
            for (name in signed) {
                n = name
                sub(/^0+/, "", n)
                if (!(name in have) && n in head) print name, n, head[n]
            }
        }' \
        "$work/heads" second=1 "$work/names" | sort >"$work/lacking"
    while read -r name n head; do
        printf 'pbem1 checkpoint\ngame %s\nsize %s\nhead %s\n' "$game" "$n" "$head" | derived "checkpoints/$name.txt"
    done <"$work/lacking"
    awk -v work="$work" -v game="$game" '
        !second { head[$1] = $2; next }
        /^checkpoints\/.*\.txt$/ {
            n = substr($0, 13, length($0) - 16)
            sub(/^0+/, "", n)
            print n
            printf "pbem1 checkpoint\ngame %s\nsize %d\nhead %s\n", game, n, head[n] >(work "/" $0)
            close(work "/" $0)
        }' "$work/heads" second=1 "$work/names" | sort -n >"$work/sizes"
    sed -n '/^checkpoints\/.*\.txt$/p' "$work/names" >"$work/checkpoints.names"
    unlike "$work/checkpoints.names" | sed 's/.*/the head in & is not that of the log/' >>"$faults"
    while read -r path; do
        sig=${path%.txt}.sig
        name=${sig#checkpoints/}
        if [ ! -f "$sig" ]; then
            fault "incomplete: $sig is missing"
        elif [ ! -s "$sig" ]; then
            fault "$sig is not exactly one signature as ssh-keygen writes it"
        elif ! judged "${name%.sig}" "$sig" "$path"; then
            fault "$path is not signed by the judge"
        fi
    done <"$work/checkpoints.names"
    awk '/^checkpoints\/.*txt$/ { txt[$0] = 1 }
        /^checkpoints\// { sub(/\.(txt|sig)$/, ""); if (++half[$0] == 2) delete half[$0] }
        END { for (name in half) if (name ".txt" in txt == 0) print name ".sig is not a head of this log" }' \
        "$work/names" >>"$faults"
    claim 'every checkpoint is signed by the judge and fits the log'
}

a_signed_head_covers_every_exchange() {
    awk '!second { have[$1] = 1; next } !($1 in have) { print "incomplete: the checkpoint at entry " $1 " is missing" }' \
        "$work/sizes" second=1 "$work/signed" >>"$faults"
    last=$(awk 'END { print $1 + 0 }' "$work/sizes")
    what='a signed head covers every exchange'
    if [ -s "$faults" ] || [ "$last" -ge $size ]; then
        claim "$what"
    elif [ $((last + 1)) -eq $size ]; then
        open "$what" "no signed head covers entry $size yet"
    else
        open "$what" "no signed head covers entries $((last + 1)) to $size yet"
    fi
}

the_bundle_is_the_whole_game() {
    if [ "$stage" = over ]; then
        claim 'the bundle is the whole game'
    else
        open 'the bundle is the whole game' \
            "it ends at entry $size; whether the judge has gone on since, only a later checkpoint that somebody kept can show"
    fi
}

# ---------------------------------------------------------------- orders

every_order_file_that_the_ledger_names_is_in_the_bundle_unchanged() {
    {
        awk '{
            whose = $3 == "-" ? "the reveal of " $2 " for exchange " $1 : "the orders of " $2 " for exchange " $1 ", revision " $3
            print "sealed/" $4 ".age", whose
        }' "$work/files" "$work/late"
        awk '{ print "sealed/" $4 ".age", "a file of " $2 " for exchange " $1 " that was refused" }' "$work/refused"
    } >"$work/wanted"
    sed -n '/^sealed\//p' "$work/names" >"$work/sealed"
    awk -v sealed="$work/sealed" '
        BEGIN { while ((getline name <sealed) > 0) have[name] = extra[name] = 1 }
        !($1 in have) { path = $1; sub(/^[^ ]* /, ""); print "incomplete: " path " is missing: " $0; next }
        { delete extra[$1] }
        END { for (name in extra) print name " was never received" }' "$work/wanted" >>"$faults"
    if [ -s "$work/sealed" ]; then
        xargs sha256sum <"$work/sealed" |
            awk '$2 != "sealed/" $1 ".age" { print "the hash of " $2 ": found " $1 }' >>"$faults"
    fi
    claim 'every order file that the ledger names is in the bundle, unchanged'
}

recipients() { # recipients FILE: of the identities that are the third word of its lines; "-" if one is none
    awk '{ print $3 }' "$1" >"$work/identities"
    if [ ! -s "$work/identities" ]; then return; fi
    if ! age-keygen -y "$work/identities" 2>/dev/null </dev/null >"$work/recipients"; then
        while read -r identity; do # one is none: which?
            printf '%s\n' "$identity" >"$work/identity"
            age-keygen -y "$work/identity" 2>/dev/null </dev/null || echo -
        done <"$work/identities" >"$work/recipients"
    fi
    cat "$work/recipients"
}

prepare_the_seal_keys() { # those that the bundle lacks follow from their root
    if [ $roots = yes ]; then # the seal keys that the bundle lacks, in the form that age gives them (bech32)
        awk '!second { have[$0] = 1; next }
            !(("keys/exchange-" $1 "." $2 ".agekey") in have) { print $1, $2, $3 }' "$work/names" second=1 "$work/seals" \
            >"$work/lacking"
        awk -v game="$game" -v key="$(root seal)" '{ print key, "pbem1 seal " game, $1, $2 }' "$work/lacking" |
            hmac | paste -d' ' "$work/lacking" - | awk '
            function either(a, b,  bit, sum) { # one bit or the other; other awks have an xor of their own
                for (bit = 1; a > 0 || b > 0; bit *= 2) {
                    if (a % 2 + 0 != b % 2) sum += bit
                    a = int(a / 2)
                    b = int(b / 2)
                }
                return sum + 0
            }
            function add(value,  top, i) {
                top = int(sum / 33554432)
                sum = either(sum % 33554432 * 32, value)
                for (i = 1; i <= 5; i++) {
                    if (top % 2) sum = either(sum, factor[i])
                    top = int(top / 2)
                }
            }
            BEGIN {
                signs = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
                split("996825010 642813549 513874426 1027748829 705979059", factor, " ")
                split("1 7 5 13 19 5 3 18 5 20 13 11 5 25 13", low, " ") # "age-secret-key-"
            }
            {
                sum = 1
                for (i = 1; i <= 15; i++) add(low[i] == 13 ? 1 : 3)
                add(0)
                for (i = 1; i <= 15; i++) add(low[i])
                text = ""
                five = bits = 0
                for (i = 1; i <= 65; i++) { # 64 hex digits, and four bits to fill up
                    four = i > 64 ? 0 : index("0123456789abcdef", substr($4, i, 1)) - 1
                    for (bit = 8; bit >= 1; bit /= 2) {
                        five = five * 2 + (four >= bit)
                        four -= (four >= bit) * bit
                        if (++bits % 5 == 0) { text = text substr(signs, five + 1, 1); add(five); five = 0 }
                    }
                }
                for (i = 1; i <= 6; i++) add(0)
                sum = either(sum, 1)
                last = ""
                for (i = 1; i <= 6; i++) {
                    last = substr(signs, sum % 32 + 1, 1) last
                    sum = int(sum / 32)
                }
                print $1 "." $2, $3, "AGE-SECRET-KEY-1" toupper(text last)
            }' >"$work/follow"
        recipients "$work/follow" | paste -d' ' "$work/follow" - | while read -r name recipient identity found; do
            [ "$recipient" != "$found" ] || printf '%s\n' "$identity" | derived "keys/exchange-$name.agekey"
        done
    fi
}

the_seal_keys_in_the_bundle_are_those_that_the_players_sealed_to() {
    sed -n 's/^keys\/exchange-\(.*\)\.agekey$/\1/p' "$work/names" |
        awk '!second { to[$1 "." $2] = $3; next } { print $1, ($1 in to ? to[$1] : "-") }' \
            "$work/seals" second=1 - >"$work/agekeys"
    sed -n '/^keys\/exchange-.*\.agekey$/p' "$work/names" | xargs wc -c | awk -v faults="$faults" '
        !second { to[$1] = $2; next }
        $2 ~ /^keys\// {
            name = substr($2, 15, length($2) - 21)
            identity = ""
            getline identity <$2
            close($2) # any other kind of identity could make age run a plugin
            if ($1 + 0 == 75 && length(identity) == 74 && identity ~ /^AGE-SECRET-KEY-1[0-9A-Z]*$/) print name, to[name], identity
            else print $2 " is not an age key" >>faults
        }' "$work/agekeys" second=1 - >"$work/identified"
    recipients "$work/identified" | paste -d' ' "$work/identified" - | awk '$2 "" != $4 "" {
        print "the recipient of keys/exchange-" $1 ".agekey: expected " $2 ", found " $4
    }' >>"$faults"
    claim 'the seal keys in the bundle are those that the players sealed to'
}

link() { # link WHO STEP VALUE: the value of the step before
    case $sent in
    *" $1="*) under=${sent#*" $1="} under=${under%% *} ;; # sent with the answer to a league's call
    *) under=$game ;;
    esac
    digest "pbem1 chain $under $1 $2 $3"
    link=$digest
}
leads_back() { # leads_back WHO STEP VALUE KNOWN_STEP KNOWN_VALUE: does the one lead to the other?
    back=$2
    link=$3
    while [ "$back" -gt "$4" ]; do
        link "$1" "$back" "$link"
        back=$((back - 1))
    done
    [ "$link" = "$5" ]
}

where() { # where EXCHANGE PLAYER REV: what the file is
    case $3 in
    -) where="exchange $1, the reveal of $2" ;;
    refused) where="exchange $1, a refused file of $2" ;;
    *) where="exchange $1, orders of $2, revision $3" ;;
    esac
}
judge_files() { # of the opened files that $work/due names: what was signed goes to N.body, its signature to N.sig
    # Prints: N, exchange, player, rev, the reason in the ledger; why it does not count, or "counts"; whether another of
    # its revision came before; what it has to reveal, "chain step value", with the step and value known before it; and
    # last, if the file is not its player's own, why.
    awk -v work="$work" -v mode="$mode" -v game="$game" "$reading"'
        function fault(why) { if (wrong == "") wrong = why }
        function check(word, expected) {
            if (said[word] "" != expected "") fault(word ": expected " expected ", found " said[word])
        }
        function is_number(text) { return length(text) <= 9 && text ~ /^[1-9][0-9]*$/ }
        function is_hash(text) { return length(text) == 64 && text !~ /[^0-9a-f]/ }
        function read_head(line,  word, known) { # one line between the first and "---"
            word = substr(line, 1, index(line " ", " ") - 1)
            known = rev == "-" ? "^(game|exchange|player|seen|reveal)$" : "^(game|exchange|player|side|rev|seal|seen|reveal)$"
            if (word !~ known) fault("its head has no place for " line)
            if (word in said) fault(word " stands in it twice")
            said[word] = substr(line, length(word) + 2)
        }
        function check_head() {
            check("game", game); check("exchange", exchange); check("player", player)
            if (rev == "-") {
                if (!("seen" in said) || !("reveal" in said)) fault("it must say what it has seen, and reveal")
            } else {
                if (!ended) fault("its head has no end")
                if (rev != "refused") check("rev", rev)
                if (!is_number(said["rev"] "")) fault("its revision is not a number") # gawk 5.2 frees twice what is not there
                if (said["side"] !~ /^[a-z0-9][a-z0-9._-]*$/ || length(said["side"]) > 64) fault("its side is no name")
                if (said["seal"] !~ /^age1[02-9ac-hj-np-z]+$/ || length(said["seal"]) != 62) fault("its seal is not a recipient")
            }
            if ("seen" in said && (split(said["seen"], seen, " ") != 2 || said["seen"] "" != seen[1] " " seen[2] "" ||
                    !(seen[1] "" == "0" || is_number(seen[1])) || !is_hash(seen[2])))
                fault("what it has seen is not a head")
            if ("reveal" in said && (split(said["reveal"], reveal, " ") != 3 || !is_hash(reveal[3]) ||
                    said["reveal"] "" != reveal[1] " " reveal[2] " " reveal[3] "" || length(reveal[1]) > 64 ||
                    !(reveal[2] "" == "0" || is_number(reveal[2])) || reveal[2] + 0 > 4096 ||
                    index(reveal[1], player ".") != 1 ||
                    substr(reveal[1], length(player) + 2) !~ /^[1-9][0-9]?[0-9]?$/))
                fault("what it reveals is not a step of a chain of " player)
        }
        function seen_fault() {
            if (!("seen" in said)) return chain == "-" ? "" : "no-seen"
            if (seen[1] + 0 >= number + 0 || seen[2] == "" || head[seen[1]] "" != seen[2] "") return "bad-seen"
            return seen[1] + 0 < opened + 0 ? "old-seen" : ""
        }
        function why_not(  why) {
            if (rev != "-") {
                if (closed + 0 && closed + 0 < number + 0) return "late"
                if (said["side"] "" != side "") return "wrong-side"
                if (said["seal"] "" != seal "") return "wrong-seal"
            }
            if ((why = seen_fault()) != "") return why
            if (rev != "-" && (mode == "after-close" || chain == "-")) return "reveal" in said ? "early-reveal" : "counts"
            if (!("reveal" in said)) return "no-reveal"
            if (reveal[2] "" != exchange "") return "wrong-step"
            return reveal[1] "" == chain "" ? "counts" : "bad-reveal"
        }
        BEGIN { head["0"] = sprintf("%064d", 0) }
        FILENAME "" == work "/heads" { head[$1] = $2; next }
        FILENAME "" == work "/anchors" { value[$1, 0] = $2; next }
        FILENAME "" == work "/reveals" { value[$1, $2 + 0] = $3; next }
        FILENAME "" == work "/files" {
            if (!(($1, $2, $3) in first) || $5 + 0 < first[$1, $2, $3] + 0) first[$1, $2, $3] = $5
            next
        }
        {
            size = $1; line_number = $2; exchange = $4; player = $5; rev = $6; number = $8; opened = $9; closed = $10
            seal = $11; side = $12; chain = $13
            wrong = ""
            split("", said); split("", seen); split("", reveal)
            text = work "/plain/" line_number
            body = text ".body"
            sig = text ".sig"
            printf "" >body
            printf "" >sig
            bytes = length_of_body = lines = ended = part = 0 # the body, its signature, what follows
            after = broken = ""
            while ((getline line <text) > 0) {
                bytes += length(line) + 1
                lines++
                if (part == 0 && line ~ /^-----BEGIN SSH SIGNATURE-----/) part = 1
                if (part == 2) after = after line
                if (part == 1) print line >sig
                if (part == 1 && line == "-----END SSH SIGNATURE-----") part = 2
                if (part) continue
                print line >body
                length_of_body = bytes
                if (broken == "" && !is_utf8(line)) broken = lines
                if (!ended && bytes > 4096) continue # too long for a head, so that it has no end
                if (line ~ /\r$/ && !ended) line = substr(line, 1, length(line) - 1)
                if (lines == 1) {
                    if (line "" != (rev == "-" ? "pbem1 reveal" : "pbem1 orders") "") fault("it begins with " line)
                } else if (!ended && line == "---" && rev != "-") ended = 1
                else if (!ended) read_head(line)
            }
            close(text); close(body); close(sig)
            if (after != "" || bytes + 0 != size + 0) fault("something other than empty lines follows the signature")
            if (size > 32768 || rev == "-" && length_of_body > 4096) fault("it is too large")
            if (broken != "") fault("it is not utf-8 text: line " broken)
            check_head()
            why = why_not()
            revealed = "- - - - -"
            if (wrong == "" && why == "counts" && (rev == "-" || mode != "after-close" && chain != "-")) {
                known = reveal[2] - 1
                while (known > 0 && !((chain, known) in value)) known--
                revealed = reveal[1] " " reveal[2] " " reveal[3] " " known " " value[chain, known]
            }
            taken = (exchange, player, said["rev"]) in first && first[exchange, player, said["rev"]] + 0 < number + 0
            print line_number, exchange, player, rev, $14, why, (taken ? "taken" : "free"), revealed, wrong
        }' "$work/heads" "$work/anchors" "$work/reveals" "$work/files" "$work/due"
}
check_files() { # check_files LIST: those of its lines that can be opened
    line=0
    : >"$work/open"
    : >"$work/texts"
    while read -r state exchange player rev sealed rest; do
        if [ "$state" = sealed ] || [ ! -f "sealed/$sealed.age" ]; then continue; fi # that it lacks was said above
        line=$((line + 1))
        if age -d -i "keys/exchange-$exchange.$player.agekey" "sealed/$sealed.age" >"$work/plain/$line" 2>/dev/null </dev/null; then
            printf '%s\n' "$line $state $exchange $player $rev $sealed $rest" >>"$work/open"
            printf '%s\n' "plain/$line" >>"$work/texts"
        else
            where "$exchange" "$player" "$rev"
            fault "$where: the sealed file does not open"
        fi
    done <"$1"
    if [ ! -s "$work/open" ]; then return; fi
    if [ "$(cd "$work" && xargs cat <texts | tr -cd '\000' | wc -c)" -gt 0 ]; then # in which?
        while read -r line _ exchange player rev _; do
            where "$exchange" "$player" "$rev"
            [ "$(tr -cd '\000' <"$work/plain/$line" | wc -c)" -eq 0 ] || fault "$where: it holds the byte 0"
        done <"$work/open"
    fi
    (cd "$work" && xargs wc -c <texts) | awk '$2 != "total" { print $1 }' | paste -d' ' - "$work/open" >"$work/due"
    judge_files >"$work/verdicts" || fault "order files cannot be read to the end"
    sed 's/$/.sig/' "$work/texts" >"$work/sigs"
    (cd "$work" && blank_others sigs)
    while read -r line exchange player rev reason why taken who step value known known_value wrong; do
        where "$exchange" "$player" "$rev"
        text=$work/plain/$line
        signed "$player" pbem1-orders "$text.sig" "$text.body" "$exchange" || fault "$where: not signed by $player"
        if [ -n "$wrong" ]; then
            fault "$where: $wrong"
            continue
        fi
        if [ "$who" != - ]; then
            if ! leads_back "$who" "$step" "$value" "$known" "$known_value"; then
                why=bad-reveal
            elif [ "$rev" != refused ]; then
                printf '%s %s %s\n' "$who" "$step" "$value" >>"$work/said"
            fi
        fi
        if [ "$why" = counts ] && [ "$taken" = taken ]; then why=rev-taken; fi
        if [ "$rev" = refused ]; then
            if [ "$why" = counts ]; then
                fault "$where: it is valid"
            elif [ "$why" != "$reason" ]; then
                fault "$where: it had to be refused as $why, not as $reason"
            fi
        elif [ "$why" != counts ]; then
            fault "$where: it does not count ($why)"
        fi
    done <"$work/verdicts"
}

every_opened_order_file_is_its_players() {
    # A line of $work/orders is one order file as the ledger has it; "-" is where there is none.
    awk -v work="$work" '
        FILENAME "" == work "/players" { side[$1] = $3; next }
        FILENAME "" == work "/chains" { chain[$1 " " $2] = $3; next }
        FILENAME "" == work "/seals" { seal[$1 " " $2] = $3; next }
        FILENAME "" == work "/agekeys" { key[$1] = 1; next }
        FILENAME "" == work "/opened" { opened[$1] = $2; next }
        FILENAME "" == work "/closed" { closed[$1] = $2; next }
        {
            late = closed[$1] == "" ? opened[$1 + 1] : closed[$1]
            state = ($1 "." $2) in key ? "opened" : "sealed"
            print state, $1, $2, $3, $4, $5, ($3 == "-" ? closed[$1] : opened[$1]), ($3 == "-" || late == "" ? 0 : late), \
                seal[$1 " " $2], side[$2], chain[$1 " " $2], ($6 == "" ? "-" : $6)
        }' "$work/players" "$work/chains" "$work/seals" "$work/agekeys" "$work/opened" "$work/closed" "$work/files" \
        "$work/late" "$work/refused" >"$work/orders"
    : >"$work/said"
    check_files "$work/orders"
    claim "every opened order file is its player's, and was rightly received or refused"
}

every_order_file_is_opened() {
    closed=$(($(awk '$1 == "sealed"' "$work/orders" | wc -l)))
    if [ $closed -eq 0 ]; then
        claim 'every order file is opened'
    else
        open 'every order file is opened' "$closed of $(($(wc -l <"$work/orders"))) are sealed for this reader"
    fi
}

# ---------------------------------------------------------------- consents to acts of the game master

every_consent_that_the_ledger_names_was_signed() { # the audit says it of each act, with the reason of that act
    while read -r sha256 exchange name seen number to; do
        [ "$seen" -lt "$number" ] || fault "$name consented to entry $number, and names entry $seen, which came later"
        seen_head=$(awk -v n="$seen" '$1 + 0 == n + 0 { print $2 }' "$work/heads")
        text=consents/$sha256.txt
        printf 'pbem1 consent\ngame %s\ngenesis %s\nseen %s %s\nexchange %s\nby %s\nto %s\n' \
            "$game" "$genesis_head" "$seen" "$seen_head" "$exchange" "$name" "$to" >"$work/text"
        derive "$text" <"$work/text"
        if ! cmp -s "$work/text" "$text"; then
            sed '4d' "$work/text" >"$work/elsewhere"
            if sed '4d' "$text" 2>/dev/null | cmp -s "$work/elsewhere" -; then fault "$name consented in another history"; fi
            fault "$text is not what $name consents to"
        fi
        [ "$(sha256sum <"$text")" = "$sha256  -" ] || fault "the hash of $text is another"
        if [ ! -f "consents/$sha256.sig" ]; then
            fault "incomplete: consents/$sha256.sig is missing"
            continue
        fi
        signed "$name" pbem1-orders "consents/$sha256.sig" "$text" "$exchange" || fault "$text is not signed by $name"
    done <"$work/consents"
    if [ -s "$faults" ] || [ -s "$work/consents" ]; then claim 'every consent that the ledger names was signed, in this history of the game'; fi
}

every_consent_in_the_bundle_belongs_to_an_act() {
    awk '!second { due["consents/" $1 ".txt"] = due["consents/" $1 ".sig"] = 1; next }
        /^consents\// && !($0 in due) { print $0 " belongs to no act" }' "$work/consents" second=1 "$work/names" >>"$faults"
    if [ -s "$faults" ]; then claim 'every consent in the bundle belongs to an act'; fi
}

# ---------------------------------------------------------------- reveals, mixes, dice

check_chains() { # lines "who step value", sorted: each leads back to the one before, the first to the anchor
    awk '!second { anchor[$1] = $2; next }
        { print $1, $2, $3, ($1 "" == who "" ? known " " value : "0 " ($1 in anchor ? anchor[$1] : "-")) }
        { who = $1; known = $2; value = $3 }' "$work/anchors" second=1 - >"$work/steps"
    if [ -s "$faults" ]; then return; fi # steps of other exchanges and chains could be any number
    while read -r who step value known known_value; do
        leads_back "$who" "$step" "$value" "$known" "$known_value" ||
            fault "step $step of $who does not lead back to step $known"
    done <"$work/steps"
}

every_reveal_is_the_next_step_of_a_chain_that_was_fixed_before() { # and the one that stands in what was signed
    also steps
    sort -u -k1,1 -k2,2n -k3,3 "$work/reveals" "$work/said" | check_chains
    claim 'every reveal is the next step of a chain that was fixed before'
}

everyone_who_sent_orders_in_time_contributed_to_the_dice() {
    also shares
    claim 'everyone who sent orders in time contributed to the dice, and nobody else'
}

what_the_players_shares_in_the_dice_come_from_was_fixed() {
    sed -n "s/^[0-9]* genesis .* drawn \([^ ]*\) \([0-9]*\)$/the bundle of \1 shows it, by its call \2/p" "$work/lines" \
        >"$work/seated"
    [ ! -s "$work/seated" ] ||
        open "what the players' shares in the dice come from was fixed before the game was drawn" "$(cat "$work/seated")"
}

players_had_a_share_in_the_dice() {
    awk '!second { if ($2 != "-") order[++players] = $1; next }
        $2 == "open" && $4 == "first" { again = 0 }
        $2 == "open" && $5 == "again" { again = 1 }
        $2 != "resolve" || again { next }
        $4 == "first" { exchanges++; reveals = dice = 0 }
        $5 == "reveal" { reveals++; sub(/[.][0-9]*$/, "", $6); shares[$6]++ }
        $5 == "die" { dice++ }
        $4 == "last" && dice && reveals == 1 { alone = alone (alone == "" ? "" : ", ") $3 }
        END {
            printf "%d", exchanges
            for (i = 1; i <= players; i++) printf "%s%s in %d", (i == 1 ? " " : ", "), order[i], shares[order[i]]
            print "\n" alone
        }' "$work/players" second=1 "$work/lines" >"$work/shares"
    read -r exchanged counts <"$work/shares"
    alone=$(sed -n 2p "$work/shares")
    what="players had a share in the dice of $exchanged exchanges: $counts"
    if [ -z "$alone" ]; then
        claim "$what"
    else
        open "$what" "only the judge revealed for exchange $alone, and could know its dice before"
    fi
}

every_mix_is_made_of_its_exchanges_reveals_and_nothing_else() {
    also mixes
    awk '{ print "mix/" $1 ".txt" }' "$work/resolved" >"$work/mixes"
    if [ -s "$work/mixes" ]; then
        (cd "$work" && xargs sha256sum <mixes) | awk '!second { mix["mix/" $1 ".txt"] = $2; next }
            mix[$2] "" != $1 "" { print $2 ": the reveals give " $1 ", the resolve entry names " mix[$2] }' \
            "$work/resolved" second=1 - >>"$faults"
    fi
    while read -r path; do
        [ -f "$path" ] || derived "$path" <"$work/$path"
    done <"$work/mixes"
    unlike "$work/mixes" >"$work/unlike"
    while read -r path; do differ "$path" "$work/$path" "$path"; done <"$work/unlike"
    awk '!second { due[$1] = 1; next }
        /^mix\// { sub(/\.secret\.txt$/, ".txt"); if (!($0 in due)) print $0 " belongs to no resolved exchange" }' \
        "$work/mixes" second=1 "$work/names" >>"$faults"
    claim "every mix is made of its exchange's reveals and nothing else"
}

throw() { # throw TRIAL: judges the dice in $work/cup ("key sides label value"); leaves what takes another trial
    awk -v trial="$1" '{ print $1, "d" $2, $3, trial }' "$work/cup" | hmac >"$work/thrown"
    paste -d' ' "$work/cup" "$work/thrown" | awk -v faults="$faults" '
        function digit(place) { return index("0123456789abcdef", substr($5, place, 1)) - 1 }
        {
            value = 0
            for (i = 1; i < 64 && !value; i += 2) {
                byte = digit(i) * 16 + digit(i + 1)
                if (byte < 256 - 256 % $2) value = byte % $2 + 1
            }
            if (length($5) != 64) print "the die " $3 " could not be thrown" >>faults
            else if (!value) print $1, $2, $3, $4
            else if (value + 0 != $4 + 0) print "the die " $3 " is a " value ", not a " $4 >>faults
        }' >"$work/again"
    cat "$work/again" >"$work/cup"
}

every_die_is_the_one_that_its_key_and_label_give() { # and dice/all.txt lists them
    also dice
    awk '!second { key[$1] = $2; next } $1 in key { print key[$1], $2, $3, $4 }' "$work/resolved" second=1 "$work/dice" \
        >"$work/cup"
    for trial in 0 1 2 3 4 5 6 7; do
        if [ -s "$work/cup" ]; then throw $trial; fi
    done
    derive dice/all.txt <"$work/dice"
    differ dice/all.txt "$work/dice" dice/all.txt
    claim 'every die is the one that its key and label give, and no label was used twice'
}

# ---------------------------------------------------------------- reports

every_report_in_the_bundle_fits_the_ledger() {
    awk '{ printf "%s reports/%s/%04d.txt\n", $3, $2, $1 }' "$work/reports" >"$work/told"
    sed -n '/^reports\//p' "$work/names" >"$work/papers"
    if [ -s "$work/papers" ]; then xargs sha256sum <"$work/papers"; fi | awk -v told="$work/told" '
        BEGIN {
            while ((getline line <told) > 0) {
                split(line, f, " ")
                if (f[2] in hash) print f[2] " is committed to twice"
                hash[f[2]] = f[1]
            }
        }
        !($2 in hash) { print $2 " is committed to by no entry that is open here"; next }
        hash[$2] "" != $1 "" { print "the hash of " $2 ": expected " hash[$2] ", found " $1 }
        { delete hash[$2] }
        END { for (name in hash) print "incomplete: " name " is missing" }' >>"$faults"
    claim 'every report in the bundle fits the ledger'
}

# ---------------------------------------------------------------- what is opened at the end

every_secret_mix_is_made_of_the_judges_secret_chain() {
    sed -n 's/^mix\/\([0-9]*\)\.secret\.txt$/\1/p' "$work/names" | sort -n >"$work/secret"
    : >"$work/drawn"
    while read -r exchange; do
        x=$(sed -n '4s/^gm //p' "mix/$exchange.secret.txt")
        is_hash "$x" || x=none
        sed -e '1s/.*/pbem1 secret-mix/' -e "4s/.*/gm $x/" "$work/mix/$exchange.txt" 2>/dev/null |
            cmp -s - "mix/$exchange.secret.txt" || fault "mix/$exchange.secret.txt holds something else"
        [ -s "$faults" ] || printf 'gm-secret.1 %s %s\n' "$exchange" "$x" >>"$work/drawn"
    done <"$work/secret"
    check_chains <"$work/drawn"
    what="every secret mix is made of the judge's secret chain and the players' reveals"
    undisclosed=$(($(wc -l <"$work/resolved") - $(wc -l <"$work/secret")))
    if [ -s "$faults" ] || [ $roots = yes ] || [ $undisclosed -le 0 ]; then
        claim "$what"
    else
        open "$what" "$undisclosed of them are not disclosed to this reader"
    fi
    if [ $roots = yes ]; then # they follow from the secret chain
        awk '!second { have[$0] = 1; next } !(("mix/" $1 ".secret.txt") in have) { print "mix/" $1 ".secret.txt" }' \
            "$work/names" second=1 "$work/resolved" >>"$work/derived"
    fi
}

walk() { # walk WHO NAME: does this root lead to the anchor? (4,096 steps: some seconds)
    link=$(root "$2")
    step=4096
    while [ $step -gt 0 ]; do
        link "$1" $step "$link"
        step=$((step - 1))
    done
    [ "$link" = "$(awk -v who="$1" '$1 "" == who "" { print $2 }' "$work/anchors")" ] || fault "the root called $2 does not lead to the anchor of $1"
}
follows() { # follows NAME WHAT: lines "name digest message"; each digest must be what the root gives its message
    sed "s/^[^ ]* [^ ]* /$(root "$1") /" "$work/traced" | hmac | paste -d' ' "$work/traced" - |
        awk -v what="$2" '$2 "" != $NF "" { print what " " $1 " does not follow from its root" }' >>"$faults"
}

the_judges_secrets_are_those_that_the_genesis_fixes() {
    if [ -f keys/roots ]; then
        [ "$stage" = over ] || fault 'keys/roots is disclosed while the game goes on'
        [ $roots = yes ] || fault 'keys/roots is not written as its format demands'
        for name in salt seal; do
            digest=$(printf 'pbem1 commit %s %s-root %s\n' "$game" $name "$(root $name)" | sha256sum)
            commit=$(awk -v name=$name-root '$2 == "genesis" && $5 == "commit" && $6 "" == name "" { print $7 }' "$work/lines")
            [ "${digest%% *}" = "$commit" ] ||
                fault "the root called $name is not the one that the genesis commits to"
        done
        if [ ! -s "$faults" ]; then
            walk gm.1 chain
            walk gm-secret.1 secret-chain
            salts | paste -d' ' "$work/present" - |
                awk -v game="$game" '{ print $2, $3, "pbem1 salt " game, $1 }' >"$work/traced"
            follows salt 'the salt of entry'
            awk -v game="$game" '{ # bech32: 52 characters of 5 bits, then 6 of its checksum, which age-keygen has checked
                text = tolower(substr($3, 17, 52))
                hex = ""
                four = bits = 0
                for (i = 1; i <= 52; i++) {
                    five = index("qpzry9x8gf2tvdw0s3jn54khce6mua7l", substr(text, i, 1)) - 1
                    for (bit = 16; bit >= 1; bit /= 2) {
                        four = four * 2 + (five >= bit)
                        five -= (five >= bit) * bit
                        if (++bits % 4 == 0) { hex = hex substr("0123456789abcdef", four + 1, 1); four = 0 }
                    }
                }
                dot = index($1, ".")
                print $1, substr(hex, 1, 64), "pbem1 seal " game, substr($1, 1, dot - 1), substr($1, dot + 1)
            }' "$work/identified" >"$work/traced"
            follows seal 'the seal key of'
        fi
        claim "the judge's secrets are those that the genesis fixes"
    else
        open "the judge's secrets are those that the genesis fixes" 'they are disclosed when the game is over'
    fi
}

# ---------------------------------------------------------------- what the bundle is, and what must be in it

the_bundle_holds_everything_that_it_must_hold() {
    # It is for the least audience that may have what it holds: the public, one side, or all. Then it must hold all
    # that the ledger says such a bundle holds.
    cat "$work/names" "$work/derived" >"$work/there"
    audience=$(
        {
            awk '{ print "side", $1, $3 }' "$work/players"
            awk '$2 ~ /^(draw|report)$/ && $4 == "first" { print "told", $6 }' "$work/lines"
            sed 's/^/file /' "$work/names"
        } | awk '
            $1 == "side" { side[$2] = $3; next }
            $1 == "told" { told[$2] = 1; next }
            $2 == "keys/roots" || $2 ~ /\.secret\.txt$/ { told["all"] = told["public too"] = 1 }
            $2 ~ /^keys\/exchange-/ {
                sub(/^keys\/exchange-[0-9]*\./, "", $2)
                sub(/\.agekey$/, "", $2)
                told[$2 in side ? side[$2] : "all"] = 1
            }
            $2 ~ /^reports\// { split($2, part, "/"); told[part[2]] = 1 }
            END {
                delete told["public"]
                for (one in told) { count++; audience = one }
                print (count > 1 ? "all" : count ? audience : "public")
            }'
    )
    case $audience in
    all) bundle_is='the bundle of everything' ;;
    public) bundle_is="the public's bundle" ;;
    *) bundle_is="$audience's bundle" ;;
    esac
    if [ "$stage" = over ]; then bundle_is="$bundle_is of a game that is over"; else bundle_is="$bundle_is of a game that goes on"; fi
    {
        awk '{ print "side", $1, $3 }' "$work/players"
        sed 's/^/file /' "$work/there"
        awk '$2 == "hidden" && $4 == "first" { print "hidden", $1 }
            $2 ~ /^(resolve|report)$/ && $4 == "first" { print $2, $3, $6 }' "$work/lines"
        awk '{ print "seal", $1, $2 }' "$work/seals"
        awk '{ print "mixed", $1 }' "$work/resolved"
    } | awk -v audience="$audience" -v over="$([ "$stage" = over ] && echo yes)" -v latest="$latest" '
        function lack(name) { if (!(name in there)) print "incomplete: " name " is missing" }
        $1 == "side" { side[$2] = $3 }
        $1 == "file" { there[$2] = 1 }
        $1 == "hidden" && audience == "all" { printf "incomplete: log/%04d.entry is missing\n", $2 }
        $1 == "hidden" { hides[now] = 1 }
        $1 == "resolve" { resolved[now = $2] = 1 }
        $1 == "report" { told[$2, $3] = 1 }
        $1 == "seal" && (over || $2 in resolved) && (audience == "all" || audience "" == side[$3] "") {
            lack("keys/exchange-" $2 "." $3 ".agekey")
        }
        $1 == "mixed" && audience == "all" { lack("mix/" $2 ".secret.txt") }
        END {
            for (i in resolved) {
                if (!over && i + 0 == latest + 0) continue
                if (audience !~ /^(all|public)$/ && !((i, audience) in told) || !((i, "public") in told) && i in hides)
                    print "incomplete: the entry of a report on exchange " i " is missing"
            }
            if (over && audience == "all") lack("keys/roots")
        }' >>"$faults"
    claim "$bundle_is holds everything that it must hold"
}

what_the_bundle_lacks_follows_from_what_it_holds() {
    lacked=$(($(sort -u "$work/derived" | wc -l)))
    first=$(sed -n 1p "$work/derived")
    more=$([ $lacked -le 1 ] || printf ', and %s more' $((lacked - 1)))
    [ $lacked -eq 0 ] || claim "what the bundle lacks follows from what it holds: $first$more"
}

# ---------------------------------------------------------------- what players kept

check_held() { # check_held FILE: a receipt or checkpoint
    where=$(printf %s "${1#"$held"/}" | tr '\n' '?' | clean)
    read -r first <"$1"
    case $first in
    'pbem1 checkpoint') check=judged space=pbem1-checkpoint word=size ;;
    'pbem1 receipt') check=receipted space=pbem1-receipt word=exchange ;;
    *) return ;;
    esac
    [ "$(sed -n 's/^game //p' "$1")" = "$game" ] || return
    place=$(sed -n "s/^$word //p" "$1")
    : >"$work/kept.sig"
    if [ -f "$1.sig" ] && [ ! -L "$1.sig" ]; then head -c 10000 "$1.sig" >"$work/kept.sig"; fi
    echo kept.sig >"$work/kept.one"
    (cd "$work" && blank_others kept.one)
    if ! is_number "$place" 1 9 || ! $check "$place" "$work/kept.sig" "$1"; then
        print=$(signer_of $space "$work/kept.sig" "$1")
        if [ -z "$print" ] || cat "$work/players" "$work/official" "$work/gm" "$work/rotations" |
            grep -qF " $print "; then
            printf '%s proves nothing: the judge has not signed it\n' "$where"
        else
            printf "%s proves nothing: its key %s is not that of this bundle's judge; %s %s\n" "$where" "$print" \
                'to see whether this bundle is your game,' 'give the head of the genesis that you were told'
        fi >>"$work/doubts"
        return
    fi
    kept=$((kept + 1))
    [ $word = exchange ] || echo "$where" >>"$work/reaches"
    awk -v files="$work/files" -v heads="$work/heads" -v size=$size -v stage="$stage" \
        -v exchange="$latest" -v newer="$work/newer" '
        { said[$1] = $2 }
        END {
            if ("head" in said) {
                while ((getline line <heads) > 0) { split(line, f, " "); head[f[1]] = f[2] }
                n = said["size"]
                if (n > size && stage == "over")
                    print "the judge signed a head at entry " n "; in this bundle the game is over at entry " size
                else if (n > size) print n >>newer
                else if (head[n] "" != said["head"] "")
                    print "two histories: at entry " n " the judge signed the head " said["head"] \
                        "; this bundle has " head[n]
                exit
            }
            who = said["player"]
            while ((getline line <files) > 0) {
                split(line, f, " ")
                if (f[2] "" != who "") continue
                count++
                if (f[1] "" == said["exchange"] "" && f[3] "" == said["rev"] "" && f[4] "" == said["sealed"] "") number = count
            }
            ahead = said["exchange"] - exchange
            waits = stage != "over" && (ahead > 0 || (ahead == 0 && stage == "open"))
            if (!number && waits && said["number"] > count + 0)
                print "receipt " said["number"] " of " who \
                    " is newer than this bundle: ask the judge for a later one" >>newer
            else if (!number)
                print "the judge gave " who " receipt " said["number"] " for orders of exchange " said["exchange"] \
                    ", and the ledger has not received them"
            else if (number "" != said["number"] "")
                print "receipt " said["number"] " of " who " is for the file that the ledger received as number " number
        }' "$1" >>"$faults"
}

the_bundle_agrees_with_what_players_kept() {
    : >"$work/doubts"
    : >"$work/newer"
    kept=0
    agrees='the bundle agrees with what players kept'
    if [ -z "$held" ]; then
        open "$agrees" 'no folder of kept papers was given'
        return
    fi
    for path in "$held"/*.txt "$held"/*/*.txt "$held"/*/*/*.txt; do
        if [ -f "$path" ] && [ ! -L "$path" ] && [ "$(wc -c <"$path")" -le 10000 ]; then check_held "$path"; fi
    done
    why=$(sed -n '/^receipt/{p;q;}' "$work/newer")
    doubts=$(($(wc -l <"$work/doubts")))
    [ $doubts -eq 0 ] || why="$why${why:+; }all but $doubts of the papers; $(sed -n 1p "$work/doubts")"
    [ $kept -gt 0 ] || why=${why:-"$held holds no receipt or checkpoint of $game"}
    [ -z "$why" ] || open "$agrees" "$why"
    if [ -s "$faults" ] || [ -z "$why" ]; then claim "$agrees"; fi
}

the_bundle_is_as_new_as_what_players_kept() {
    [ -s "$work/reaches" ] || return
    last=$(sed -n '/^[0-9]*$/p' "$work/newer" | sort -n | sed -n '$p')
    [ -z "$last" ] || fault "incomplete: stale: this bundle is older than what was signed: it ends at entry $size, and the" \
        "judge signed a head at entry $last; ask the judge for a newer one that continues it;" \
        "without one, something is hidden"
    claim 'the bundle is as new as what players kept'
}

# ---------------------------------------------------------------- what is not looked at here

played_again_every_exchange_is_as_the_ledger_says() {
    hidden=$((size - $(wc -l <"$work/present")))
    open 'played again, every exchange is as the ledger says' \
        "nothing is played here; $closed order files and $hidden entries are closed to this reader"
}

check_the_bundle
