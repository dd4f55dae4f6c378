package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// newBrowser starts Chromium, or skips the test where there is none.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	binary, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium in PATH; Debian has it in the package chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(binary), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(time.Minute),
	)
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900))) // starts it
	return ctx
}

// complaints are what a page wrote to the console and asked the network for.
type complaints struct {
	mutex sync.Mutex
	list  []string
}

// watch begins to collect complaints.
func watch(t *testing.T, ctx context.Context) *complaints {
	c := &complaints{}
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			c.add("console: " + string(e.Type))
		case *runtime.EventExceptionThrown:
			c.add("exception: " + e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			c.add("log: " + e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if url := e.Request.URL; !strings.HasPrefix(url, "file:") && !strings.HasPrefix(url, "data:") {
				c.add("request: " + url)
			}
		}
	}))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	return c
}

func (c *complaints) add(text string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.list = append(c.list, text)
}

func (c *complaints) found() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.list
}

// hidden lists charts that are empty, or beyond the page's edges.
const hidden = `(() => {
  const wrong = [];
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page is wider than its window");
  for (const figure of document.querySelectorAll("figure")) {
    const chart = figure.querySelector("svg"), box = chart.getBoundingClientRect();
    const name = figure.querySelector("h2").textContent;
    if (box.width < 300 || box.height < 60) wrong.push(name + ": too small");
    if (box.left < 0 || box.right > innerWidth) wrong.push(name + ": beyond the edge");
    if (!chart.querySelector("path") || !chart.querySelector("text")) wrong.push(name + ": empty");
    for (const text of chart.querySelectorAll("text")) {
      const t = text.getBoundingClientRect();
      if (t.left < box.left - 1 || t.right > box.right + 1 || t.top < box.top - 3 || t.bottom > box.bottom + 3) {
        wrong.push(name + ": " + text.textContent + " is cut off");
      }
    }
  }
  return wrong;
})()`

var screenshots = flag.String("screenshots", "", "directory for pictures of the pages")

// Every page opens without a complaint or a request, and shows all its charts
// on a desk and on a telephone. Screenshots are for a person: go test -run
// Browser -screenshots DIR.
func TestPagesInABrowser(t *testing.T) {
	ctx := newBrowser(t)
	for name, result := range pages(t) {
		file := filepath.Join(t.TempDir(), name+".html")
		require.NoError(t, os.WriteFile(file, []byte(text(t, result)), 0o644))

		complaints := watch(t, ctx)
		for width, scheme := range map[int64]string{1280: "light", 400: "dark"} {
			require.Empty(t, look(t, ctx, file, width, scheme), "%s, %d pixels wide", name, width)
			charts, err := chromedp.Run(ctx, chromedp.Evaluate[int](`document.querySelectorAll("figure").length`))
			require.NoError(t, err)
			require.Len(t, result.Page().Charts, charts)
			if *screenshots != "" {
				shot, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
				require.NoError(t, err)
				shotFile := filepath.Join(*screenshots, fmt.Sprintf("%s-%d-%s.png", name, width, scheme))
				require.NoError(t, os.WriteFile(shotFile, shot, 0o644))
			}
		}
		require.Empty(t, complaints.found(), name)
	}
}

// look opens a page and returns what is hidden.
func look(t *testing.T, ctx context.Context, file string, width int64, scheme string) []string {
	t.Helper()
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	require.NoError(t, err)
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate("file://"+file)))
	wrong, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](hidden))
	require.NoError(t, err)
	return wrong
}

// The browser test can fail: it sees a script's complaint and a request.
func TestBrowserSeesWhatIsWrong(t *testing.T) {
	ctx := newBrowser(t)
	file := filepath.Join(t.TempDir(), "wrong.html")
	require.NoError(t, os.WriteFile(file, []byte(`<figure style="width: 3000px"><h2>wide</h2><svg></svg></figure>
<script>console.error("no")</script><img src="http://localhost:9/x.png">`), 0o644))
	complaints := watch(t, ctx)
	require.Contains(t, look(t, ctx, file, 400, "light"), "wide: empty")
	require.Contains(t, complaints.found(), "console: error")
	require.Contains(t, complaints.found(), "request: http://localhost:9/x.png")
}
