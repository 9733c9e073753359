"""Keys and notes, against RFC 8032, the examples of C2SP and those of Go's sumdb/note."""

import base64

import pytest

from domain.proofs.keys import PublicKey, SigningKey, read_key
from domain.proofs.notes import Checkpoint, read_checkpoint, read_note, sign_note
from schemas.notation import Unreadable
from tests.kit.proofs import NAME, key

PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETERS_SECRET = "AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
OTHERS = (
    "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop",
    "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
)
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
NOTE = f"{TEXT}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
BEHIND_THE_SOFA = (
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— example.com/behind-the-sofa "
    "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
)


def test_signatures_are_those_of_rfc_8032() -> None:
    secret = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    mine = SigningKey("test", secret, "")
    assert mine.public.public.hex() == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert mine.sign(b"").hex() == (
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    )


@pytest.mark.parametrize("text", [PETER, *OTHERS])
def test_keys_of_others_are_read_and_written_as_they_write_them(text: str) -> None:
    assert read_key(text).text() == text


def test_a_note_of_another_implementation_is_verified_and_written_the_same() -> None:
    peter = read_key(PETER)
    assert read_note(NOTE).signer([peter]) == peter
    assert read_note(NOTE).text == TEXT
    mine = SigningKey("PeterNeumann", base64.b64decode(PETERS_SECRET)[1:], "")
    assert sign_note(TEXT, mine) == NOTE


def test_a_checkpoint_of_the_specification_is_read() -> None:
    note = read_note(BEHIND_THE_SOFA)
    found = read_checkpoint(note.text)
    assert (found.origin, found.size) == ("example.com/behind-the-sofa", 20852163)
    assert found.text() == note.text
    assert note.signer([key(1).public]) is None


def test_signatures_of_others_are_passed_over_and_false_ones_refused() -> None:
    text = Checkpoint(NAME, 1, b"\1" * 32).text()
    both = sign_note(text, key(2, name="witness.example"), key(1))
    assert read_note(both).signer([key(1).public]) == key(1).public
    assert read_note(both).signer([key(3).public]) is None
    changed = both.replace(f"{NAME}\n1\n", f"{NAME}\n2\n")
    with pytest.raises(Unreadable, match="not over this note"):
        read_note(changed).signer([key(1).public])


@pytest.mark.parametrize(
    "note",
    [
        "",
        "text\n",
        "text\n\n",
        TEXT + "\n- PeterNeumann x08go/ZJkuBS9UG/\n",
        TEXT + "\n— PeterNeumann x08g\n",
        TEXT + "\n— Peter Neumann x08go/ZJkuBS9UG/\n",
        TEXT + "\n— PeterNeumann x08go/ZJkuBS9UG/",
        "a\tb\n\n— PeterNeumann x08go/ZJkuBS9UG/\n",
    ],
)
def test_what_is_no_note_is_said_so(note: str) -> None:
    with pytest.raises(Unreadable):
        read_note(note)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\n1\n",
        "a\n01\nAAAA\n",
        "a\n-1\nAAAA\n",
        "a\n1\nAAAA\n",
        f"a\n1\n{'A' * 43}=\n\nb\n",
        f"a\n1\n{'A' * 42}B=\n",
    ],
)
def test_what_is_no_checkpoint_is_said_so(text: str) -> None:
    with pytest.raises(Unreadable):
        read_checkpoint(text)


@pytest.mark.parametrize("origin", ["", "two\nlines", "evil\n999"])
def test_an_origin_cannot_be_more_than_a_line(origin: str) -> None:
    with pytest.raises(Unreadable):
        Checkpoint(origin, 1, b"\1" * 32).text()


@pytest.mark.parametrize(
    "text", ["", "x" * 64, "a+b+c", PETER.replace("c7", "c8"), PETER[:-4], PETER.replace("+AR", "+BR")]
)
def test_what_is_no_key_is_said_so(text: str) -> None:
    with pytest.raises(Unreadable):
        read_key(text)


def test_a_key_without_a_name_is_read_from_its_hexadecimal_digits() -> None:
    assert read_key(key(1).public.public.hex()) == PublicKey("", key(1).public.public)
