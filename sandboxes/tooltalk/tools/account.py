"""Accounts: sign in and out, register, passwords, profile.

Source:
    ToolTalk at e05f4ce, `src/tooltalk/apis/account.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sandboxes.tooltalk.address import is_address
from sandboxes.tooltalk.refusal import Refusal
from sandboxes.tooltalk.state import World
from sandboxes.tooltalk.toolkit import text, tool
from tracer.records import Json

SUITE = "AccountTools"
SHOWN = ("username", "email", "phone", "name")
_PHONE = re.compile(r"^\d{3}-\d{3}-\d{4}$")
_OK = {"status": "success"}


@tool(
    "ChangePassword",
    SUITE,
    "Give the signed-in user a new password.",
    writes=True,
    old_password=text("The password until now."),
    new_password=text("The password from now on."),
)
def change_password(world: World, /, old_password: Json, new_password: Json) -> Json:
    """Store another password."""
    username = world.username()
    if _account(world, username)["password"] != old_password:
        raise Refusal("The old password is incorrect.")
    world.update_account(username, {"password": new_password})
    return dict(_OK)


@tool(
    "DeleteAccount",
    SUITE,
    "Delete the account of the signed-in user, who is signed out by it.",
    writes=True,
    password=text("The user's password."),
)
def delete_account(world: World, /, password: Json) -> Json:
    """Remove the account, and nothing else of the user's."""
    username = _confirmed(world, password)
    world.remove_account(username)
    world.session = None
    return dict(_OK)


@tool("GetAccountInformation", SUITE, "Show the profile of the signed-in user.")
def get_account_information(world: World, /) -> Json:
    """The user's profile."""
    return {"user": _profile(_account(world, world.username()))}


@tool("LogoutUser", SUITE, "Sign the user out.", writes=True)
def logout_user(world: World, /) -> Json:
    """End the session."""
    world.update_account(world.username(), {"session_token": None})
    world.session = None
    return dict(_OK)


@tool(
    "QueryUser",
    SUITE,
    "Find users by exact user name or exact e-mail address; with a user name the address is not "
    "looked at.",
    optional=("username", "email"),
    username=text("User name."),
    email=text("E-mail address; several users may have it."),
)
def query_user(world: World, /, username: Json = None, email: Json = None) -> Json:
    """Profiles of the users found."""
    world.username()
    accounts = world.entries("Account")
    if username is None and email is None:
        raise Refusal("You need to provide at least one of username and email.")
    if username is not None:
        found = [accounts[username]] if username in accounts else []
    else:
        found = [account for account in accounts.values() if account["email"] == email]
    return {"users": [_profile(account) for account in found]}


@tool(
    "RegisterUser",
    SUITE,
    "Create an account and sign it in; nobody may be signed in.",
    writes=True,
    login=False,
    optional=("name", "phone"),
    username=text("User name."),
    password=text("Password."),
    email=text("E-mail address."),
    name=text("Name as others see it."),
    phone=text("Phone number, such as 555-010-0199."),
)
def register_user(
    world: World,
    /,
    username: Json,
    password: Json,
    email: Json,
    name: Json = None,
    phone: Json = None,
) -> Json:
    """Store a new account and begin its session."""
    if username in world.entries("Account"):
        raise Refusal("The username already exists.")
    if not is_address(email):
        raise Refusal("The email format is invalid.")
    if phone is not None and not _PHONE.match(phone):
        raise Refusal("The phone number format is invalid.")
    account = {
        "username": username,
        "password": password,
        "email": email,
        "name": name,
        "phone": phone,
    }
    token = world.new_token("RegisterUser")
    world.update_account(username, {**account, "session_token": token})
    world.session = token
    return {"session_token": token, "user": _profile(account)}


@tool(
    "ResetPassword",
    SUITE,
    "Set a new password with the help of a verification code.",
    writes=True,
    login=False,
    username=text("User name."),
    verification_code=text("The six digits that were sent."),
    new_password=text("The password from now on."),
)
def reset_password(
    world: World, /, username: Json, verification_code: Json, new_password: Json
) -> Json:
    """Store another password; the code can be used again."""
    account = _existing(world, username)
    code = account.get("verification_code")
    if code is None or code != verification_code:
        raise Refusal("The verification code is incorrect.")
    world.update_account(username, {"password": new_password})
    return dict(_OK)


@tool(
    "SendVerificationCode",
    SUITE,
    "Send a verification code to the e-mail address of an account.",
    writes=True,
    login=False,
    username=text("User name."),
    email=text("The address that the account has."),
)
def send_verification_code(world: World, /, username: Json, email: Json) -> Json:
    """Store a new code."""
    if _existing(world, username)["email"] != email:
        raise Refusal("The email is incorrect.")
    world.update_account(username, {"verification_code": world.new_code("SendVerificationCode")})
    return dict(_OK)


@tool(
    "UpdateAccountInformation",
    SUITE,
    "Change address, phone number or name of the signed-in user; address or number must be among "
    "them.",
    writes=True,
    optional=("new_email", "new_phone_number", "new_name"),
    password=text("The user's password."),
    new_email=text("E-mail address."),
    new_phone_number=text("Phone number, such as 555-010-0199."),
    new_name=text("Name as others see it."),
)
def update_account_information(
    world: World,
    /,
    password: Json,
    new_email: Json = None,
    new_phone_number: Json = None,
    new_name: Json = None,
) -> Json:
    """Write the fields one after another; an address stays written when the number is refused."""
    username = _confirmed(world, password)
    if new_email is None and new_phone_number is None:
        raise Refusal("You need to provide at least one of new_email and new_phone_number.")
    if new_email is not None:
        if not is_address(new_email):
            raise Refusal("The email is invalid.")
        world.update_account(username, {"email": new_email})
    if new_phone_number is not None:
        if not _PHONE.match(new_phone_number):
            raise Refusal("The phone number is invalid.")
        world.update_account(username, {"phone": new_phone_number})
    if new_name is not None:
        world.update_account(username, {"name": new_name})
    return dict(_OK)


@tool(
    "UserLogin",
    SUITE,
    "Sign a user in; nobody may be signed in.",
    writes=True,
    login=False,
    username=text("User name."),
    password=text("Password."),
)
def user_login(world: World, /, username: Json, password: Json) -> Json:
    """Begin a session."""
    account = _existing(world, username)
    if account["password"] != password:
        raise Refusal("The password is incorrect.")
    if account["session_token"] is not None:
        raise Refusal("The user is already logged in.")
    token = world.new_token("UserLogin")
    world.update_account(username, {"session_token": token})
    world.session = token
    return {"session_token": token}


def _account(world: World, username: str) -> Mapping[str, Json]:
    return world.entries("Account")[username]


def _existing(world: World, username: Json) -> Mapping[str, Json]:
    accounts = world.entries("Account")
    if username not in accounts:
        raise Refusal("The username does not exist.")
    return accounts[username]


def _confirmed(world: World, password: Json) -> str:
    """The signed-in user, whose password it must be."""
    username = world.username()
    if _account(world, username)["password"] != password:
        raise Refusal("The password is incorrect.")
    return username


def _profile(account: Mapping[str, Json]) -> dict[str, Json]:
    return {field: account[field] for field in SHOWN}
