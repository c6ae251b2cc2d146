"""Values for every template."""

from django.conf import settings
from django.http import HttpRequest

from portal.demo.progress import shown_progress
from portal.demo.state_folder import samples_folder
from portal.evaluations.sandbox import sandbox
from portal.web.pictures import picture_font
from portal.web.themes import chosen_theme
from scoring import __version__
from scoring.sandbox.run import Level


def site(request: HttpRequest) -> dict[str, object]:
    """``making``: what the demo is still preparing; ``samples``: its folder of sample predictions;
    ``theme``: a choice, or empty;
    ``has_pictures``: previews of links may show one;
    ``unboxed``: files are scored without a sandbox, which every page has to say.
    """
    return {
        "demo": settings.DEMO,
        "making": shown_progress(),
        "samples": samples_folder(settings.STATE_DIR) if settings.DEMO else None,
        "theme": chosen_theme(request),
        "site_url": settings.SITE_URL,
        "has_pictures": picture_font() is not None,
        "source_url": settings.SOURCE_URL,
        "issues_url": settings.ISSUES_URL,
        "contact_url": settings.CONTACT_URL,
        "version": __version__,
        "unboxed": settings.SCORE_WITHOUT_SANDBOX and sandbox().level is Level.NONE,
    }
